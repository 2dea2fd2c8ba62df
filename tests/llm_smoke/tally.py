"""The report of a run: what the model answered, what degraded, what it cost."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, median

from tests.llm_faults.storm import answered_nodes, failed_nodes
from tests.llm_smoke.wire import SCHEMAS, Sent, Wire
from tests.small_world import Answer

from secondhop.models.chat_transport import MODES

WIRE_ROW = "{:<15} {:<12} {:>8} {:>7} {:>7} {:>8} {:>5} {:>7} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7}"
WIRE_HEAD = (
    *("schema", "mode", "requests", "repairs", "refused", "no reply", "fits", "no fit"),
    *("cut off", "failures", "prompt", "reply", "s mean", "s most"),
)
REASON_CHARS = 110

MODE_ROW = "{:<12} {:>8} {:>8} {:>7} {:>8} {:>8} {:>14} {:>7} {:>13}"
MODE_HEAD = (
    *("mode", "requests", "not sent", "refused", "no reply", "answers", "did not parse"),
    *("repairs", "of them worked"),
)


def mode_table(sent: Sequence[Sent]) -> list[str]:
    """A row for each way of asking; answers: replies to a question, not to a repair turn."""
    rows = [MODE_ROW.format(*MODE_HEAD)]
    for mode in (mode for mode in MODES if any(one.mode == mode for one in sent)):
        rows.append(mode_row(mode, [one for one in sent if one.mode == mode]))
    return rows


def mode_row(mode: str, sent: Sequence[Sent]) -> str:
    answers = [one for one in sent if one.answered and not one.repair]
    repairs = [one for one in sent if one.repair]
    misfits = sum(one.end != "fits" for one in answers)
    ends = Counter(one.end for one in sent)
    return MODE_ROW.format(
        *(mode, len(sent) - ends["not sent"], ends["not sent"]),
        *(sum(one.refused for one in sent), ends["no reply"], len(answers)),
        f"{misfits} ({misfits / len(answers):.0%})" if answers else "-",
        *(len(repairs), sum(one.end == "fits" for one in repairs)),
    )


def wire_table(wire: Wire) -> list[str]:
    """A row for each schema and mode; failures: share of the replies that did not parse."""
    rows = [WIRE_ROW.format(*WIRE_HEAD)]
    for name in SCHEMAS:
        for mode in dict.fromkeys(one.mode for one in wire.of(name)):
            rows.append(wire_row(name, mode, wire.of(name, mode)))
    return rows


def wire_row(schema: str, mode: str, sent: Sequence[Sent]) -> str:
    ends = Counter(one.end for one in sent)
    replies = [one for one in sent if one.answered]
    return WIRE_ROW.format(
        *(schema, mode, len(sent) - ends["not sent"], sum(one.repair for one in sent)),
        *(sum(one.refused for one in sent), ends["no reply"]),
        *(ends["fits"], ends["does not fit"], ends["cut off"]),
        f"{1 - ends['fits'] / len(replies):.0%}" if replies else "-",
        average(one.usage.prompt_tokens for one in replies),
        average(one.usage.completion_tokens for one in replies),
        *(f"{mean(one.seconds for one in sent):.1f}", f"{max(one.seconds for one in sent):.1f}"),
    )


def recall_lines(answers: Sequence[Answer]) -> list[str]:
    """What whole recalls came to."""
    results = [answer.result for answer in answers]
    seconds = [result.spent.ms / 1_000 for result in results]
    calls = [result.spent.llm_calls for result in results]
    tokens = [result.spent.prompt_tokens + result.spent.completion_tokens for result in results]
    answered = Counter(node for one in answers for node in answered_nodes(one.trace))
    failed = Counter(node for one in answers for node in failed_nodes(one.trace))
    lines = [
        f"recalls {len(results)}, without an answer {sum(not one.memories for one in results)}, "
        f"degraded {sum(bool(one.degraded) for one in results)}; "
        f"ends: {told(Counter(one.stop_reason for one in results))}",
        f"a recall: {mean(calls):.1f} requests (most {max(calls)}), {mean(tokens):,.0f} tokens "
        f"(most {max(tokens):,}), {median(seconds):.1f} s (most {max(seconds):.1f})",
    ]
    for node in sorted(answered.keys() | failed.keys()):
        steps = answered[node] + failed[node]
        lines.append(f"{node}: the model did {answered[node]} of {steps} steps")
    reasons = Counter(shortened(line) for one in results for line in one.degraded)
    lines += [f"{count:>4} x {reason}" for reason, count in reasons.most_common()]
    return lines


def shortened(reason: str) -> str:
    """Without the model's name and place, which differ from run to run."""
    plain = re.sub(r"openai:\S+", "the model", reason)
    return plain if len(plain) <= REASON_CHARS else f"{plain[:REASON_CHARS]}…"


def told(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.most_common())


def average(numbers: Iterable[int]) -> str:
    """A whole number; "-" without any."""
    listed = list(numbers)
    return f"{mean(listed):,.0f}" if listed else "-"
