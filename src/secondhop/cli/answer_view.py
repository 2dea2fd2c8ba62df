"""A recall's answer, for people: what came back, why, and what was nearly there."""

from shlex import quote
from typing import TYPE_CHECKING

from secondhop.cli.cost_view import cost_text
from secondhop.cli.terminal import bar, clean, shorten
from secondhop.graph.result import NearMiss, RecalledMemory, RecalledPreference, RecallResult
from secondhop.headings import without_heading_signs
from secondhop.nodes.pick import NOT_NEAR
from secondhop.wording import causes_once, counted

if TYPE_CHECKING:
    from rich.console import Console

SNIPPET = 160
"""Characters of the one passage shown for a memory."""


def show_answer(result: RecallResult, console: "Console", *, place: str = "") -> None:
    """Print the memories, the near misses, what the recall cost, and what to type next.

    Args:
        place: options that a next command needs to find the same memory.
    """
    if not result.memories:
        console.print(empty_answer(result), style="bold")
    for slot, memory in enumerate(result.memories, start=1):
        show_memory(memory, console, slot=slot)
    if told := order_told(result):
        console.print(told, style="dim")
        console.print()
    for preference in result.preferences:
        show_preference(preference, console)
    if result.maybe:
        console.print("Found, but not returned:", style="bold")
        for near in shown_misses(result):
            console.print(near_miss_line(near), style="dim", no_wrap=True, overflow="ellipsis")
        console.print()
    for reason in causes_once(result.degraded):
        console.print(f"done without: {clean(reason)}", style="yellow")
    if result.stop_reason == "deadline" and result.memories:
        console.print("Time ran out; a longer --deadline may find more.", style="yellow")
    console.print(summary(result))
    console.print(next_step(result, place=place), style="dim", soft_wrap=True)


def show_preference(preference: RecalledPreference, console: "Console") -> None:
    """One line; one that ended says so."""
    line = f"preference ({clean(preference.scope)}): {clean(preference.text)}"
    ended = f" [{clean(preference.stale)}]" if preference.stale else ""
    console.print(line + ended, style="dim" if ended else None)


def empty_answer(result: RecallResult) -> str:
    """Why there is no memory to show, as far as the result tells, and what helps."""
    needs = [near.tokens for near in result.maybe if near.tokens is not None]
    if needs:
        found = counted(len(needs), "memory was", "memories were")
        least = min(needs)
        return (
            f"Nothing fits into so few tokens: {found} found, and the shortest of their passages "
            f"takes {least}; ask with --tokens {least} or more."
        )
    if result.stop_reason == "deadline":
        searched = "an answer was found" if result.spent.queries else "anything was searched"
        return f"Time ran out before {searched}; a longer --deadline helps."
    held = [near for near in result.maybe if NOT_NEAR in near.cut_by]
    if held:
        served = counted(len(held), "memory is", "memories are")
        return (
            f"Nothing in this memory is near enough to the question itself; {served} near to what "
            f"an answer may need. Name what it is about, in words that were stored."
        )
    return "Nothing in this memory answers that."


def shown_misses(result: RecallResult) -> list[NearMiss]:
    """In the result's order; where a whole answer was held back, that order says little."""
    if any(NOT_NEAR in near.cut_by for near in result.maybe):
        return sorted(result.maybe, key=lambda near: -near.score)
    return result.maybe


def order_told(result: RecallResult) -> str:
    """A word on the order, where a lower score stands before a higher one; else ""."""
    scores = [memory.score for memory in result.memories]
    if scores == sorted(scores, reverse=True):
        return ""
    return "The order is by what each facet needs; a score is about its own facet alone."


def next_step(result: RecallResult, *, place: str) -> str:
    """What to type to see why."""
    example = (shown_misses(result) or result.memories)[:1]
    if not example:
        return "what was searched, and for what: the same command with --trace"
    command = f"secondhop explain {result.trace_id} {quote(clean(example[0].id))}{place}"
    return f"why, or why not: {command}"


def show_memory(memory: RecalledMemory, console: "Console", *, slot: int) -> None:
    """One numbered memory: title, date, score, facets, the reason, and a snippet."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(f"{slot}. {shorten(memory.title, 120) or clean(memory.id)}", style="bold"))
    scored = bar(memory.score, ascii_only=not console.encoding.startswith("utf"))
    day = f"{memory.created_at:%Y-%m-%d}"
    helps = clean(memory.role) or ", ".join(clean(name) for name in memory.facets)
    lines = [
        Text(f"{scored} {memory.score:.2f}  {day}  hop {memory.hop}  {clean(memory.id)}"),
        Text(f"for: {helps}", style="cyan"),
        Text(clean(memory.why)),
    ]
    if memory.stale:
        lines.append(Text(f"does not hold: {clean(memory.stale)}", style="yellow"))
    for other in memory.conflicts_with:
        told = f"{clean(other.value)} ({other.created_at:%Y-%m-%d}, {clean(other.id)})"
        lines.append(Text(f"undecided, for this holds as well: {told}", style="yellow"))
    if memory.evidence:
        said = shorten(without_heading_signs(memory.evidence[0].text), SNIPPET)
        lines.append(Text(f'"{said}"', style="dim"))
    for text in lines:
        console.print(Padding(text, (0, 0, 0, 3), expand=False))
    console.print()


def near_miss_line(near: NearMiss) -> str:
    """Title, score and what kept it out, in one line."""
    title = shorten(near.title, 36) or clean(near.id)
    why = (
        clean(near.cut_by)
        if near.tokens is None
        else f"no room, takes {counted(near.tokens, 'token')}"
    )
    return f"   {title} ({near.score:.2f}): {why}"


def summary(result: RecallResult) -> str:
    """Why it stopped and what it cost."""
    spent = result.spent
    rounds, queries = counted(result.rounds, "round"), counted(spent.queries, "query")
    cost = f"{cost_text(spent)}, " if spent.llm_calls else ""
    return (
        f"stopped: {result.stop_reason} after {rounds}, {queries}, {cost}"
        f"{spent.ms:.0f} ms; trace {result.trace_id}"
    )
