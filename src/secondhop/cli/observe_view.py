"""Prints what was stored from a conversation."""

from typing import TYPE_CHECKING

from secondhop.cli.cost_view import cost_text
from secondhop.cli.terminal import clean, shorten
from secondhop.observe.records import Observation, Observed
from secondhop.wording import causes_once

if TYPE_CHECKING:
    from rich.console import Console


def show_observed(told: Observed, console: "Console") -> None:
    """Print what was added, what contradicts, what was known already, and the cost."""
    would = "would be " if told.dry_run else ""
    for heading, ones, style in (
        (f"{would}added", told.added, "bold"),
        (f"{would}kept beside what it contradicts", told.conflicts, "yellow"),
        ("known already", told.duplicates, "dim"),
        (f"{would}ended", told.ended, "bold"),
    ):
        for one in ones:
            show_one(one, console, heading=heading, style=style)
    for dropped in told.dropped:
        console.print(f"rejected: {shorten(dropped.text, 80)}: {dropped.why}", style="dim")
    if told.conversation_done:
        kept = f"{would}{told.conversation_done}"
        console.print(f"the conversation itself: {kept}, {clean(told.conversation_id)}")
    for reason in causes_once(told.degraded):
        console.print(f"degraded: {clean(reason)}", style="yellow")
    if not (told.added or told.conflicts or told.duplicates or told.ended):
        console.print(
            "Nothing in these messages is a fact, a preference or anything else to remember."
        )
    if told.spent.llm_calls:
        console.print(f"read by {clean(told.reader)}; {cost_text(told.spent)}", style="dim")


def show_one(one: Observation, console: "Console", *, heading: str, style: str) -> None:
    """Print what it says, its source, and the memories that it replaces or contradicts."""
    console.print(f"{heading}: {stated(one)}  ({clean(one.memory_id)})", style=style)
    quote = f'"{shorten(one.source.text, 100)}"'
    console.print(f"   message {one.source.message + 1}: {quote}", style="dim")
    console.print(f"   {clean(one.why)}", style="dim")
    for old in one.supersedes:
        line = f"   replaces: {shorten(old.text, 80)} ({old.created_at:%Y-%m-%d})"
        console.print(line, style="cyan")
    for other in one.conflicts_with:
        line = (
            f"   contradicts: {clean(other.value)} ({other.created_at:%Y-%m-%d}, {clean(other.id)})"
        )
        console.print(line, style="yellow")


def stated(one: Observation) -> str:
    """A fact as "subject, attribute: value"; a preference or anything else as its text."""
    match one.kind:
        case "factual":
            return f"{clean(one.subject)}, {clean(one.attribute)}: {clean(one.value)}"
        case "preferential":
            return f"{shorten(one.text, 100)} [{clean(one.scope)}]"
        case _:
            return shorten(one.text, 120)
