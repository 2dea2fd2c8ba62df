"""Prints what writing cues would cost, or what it did."""

from rich.console import Console

from secondhop.annotate.records import AnnotateEstimate, AnnotateLedger
from secondhop.cli.cost_view import cost_text, money
from secondhop.cli.terminal import clean, shorten
from secondhop.wording import counted

SHOWN = 8
"""Most refused cues, and most failures, shown; `--json` has them all."""


def estimate_text(estimate: AnnotateEstimate) -> str:
    """The estimated cost, in one line."""
    if not estimate.memories:
        return "every memory has its cues; nothing to do"
    waiting = counted(estimate.memories, "memory waits", "memories wait")
    return (
        f"{waiting} for cues by {clean(estimate.model)}: about {estimate.tokens:,} tokens in "
        f"{counted(estimate.requests, 'request')}, {money(estimate.cost_usd)}"
    )


def show_annotated(ledger: AnnotateLedger, console: Console) -> None:
    """Print counts, refused cues, failures and the cost; for a dry run, the estimate."""
    if ledger.estimate is not None:
        console.print(estimate_text(ledger.estimate))
        return
    console.print(annotated_text(ledger))
    for refused in ledger.refused[:SHOWN]:
        line = f"refused {shorten(refused.text, 80)} ({clean(refused.memory_id)}): {refused.why}"
        console.print(line, style="dim")
    tell_more(len(ledger.refused), console)
    for failed in ledger.failed[:SHOWN]:
        first = ", ".join(map(clean, failed.memory_ids[:SHOWN]))
        more = ", …" if failed.count > SHOWN else ""
        console.print(
            f"{failed.count:,} of them failed ({first}{more}): {clean(failed.why)}", style="yellow"
        )
    tell_more(len(ledger.failed), console)
    if ledger.stopped:
        console.print(f"stopped: {clean(ledger.stopped)}", style="yellow")
    if ledger.spent.llm_calls:
        console.print(f"{cost_text(ledger.spent)} ({clean(ledger.model)})", style="dim")


def annotated_text(ledger: AnnotateLedger) -> str:
    """The number of cues written, in one line."""
    return (
        f"annotated {counted(ledger.annotated, 'memory')}: "
        f"{counted(ledger.cues, 'specific cue')}, {ledger.broad_cues:,} broad; "
        f"{ledger.without_cues:,} without, {ledger.replacing:,} replacing older ones; "
        f"{counted(ledger.pending, 'memory waits', 'memories wait')}"
    )


def tell_more(count: int, console: Console) -> None:
    """Print how many lines are not shown."""
    if count > SHOWN:
        console.print(f"and {count - SHOWN} more; --json lists all", style="dim")
