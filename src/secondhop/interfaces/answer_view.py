"""A recall's answer, for people: what came back, why, and what was nearly there."""

from shlex import quote
from typing import TYPE_CHECKING

from secondhop.graph.result import NearMiss, RecalledMemory, RecallResult
from secondhop.interfaces.cost_view import cost_text
from secondhop.interfaces.terminal import bar, clean, shorten

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
        console.print("Nothing in this memory answers that.", style="bold")
    for slot, memory in enumerate(result.memories, start=1):
        show_memory(memory, console, slot=slot)
    for preference in result.preferences:
        console.print(f"preference ({clean(preference.scope)}): {clean(preference.text)}")
    if result.maybe:
        console.print("Found, but not returned:", style="bold")
        for near in result.maybe:
            console.print(near_miss_line(near), style="dim", no_wrap=True, overflow="ellipsis")
        console.print()
    for reason in result.degraded:
        console.print(f"done without: {clean(reason)}", style="yellow")
    console.print(summary(result))
    example = (result.maybe or result.memories)[:1]
    memory_id = quote(clean(example[0].id)) if example else "MEMORY_ID"
    command = f"secondhop explain {result.trace_id} {memory_id}{place}"
    console.print(f"why, or why not: {command}", style="dim")


def show_memory(memory: RecalledMemory, console: "Console", *, slot: int) -> None:
    """One numbered memory: title, date, score, facets, the reason, and a snippet."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(f"{slot}. {shorten(memory.title, 120) or clean(memory.id)}", style="bold"))
    scored = bar(memory.score, ascii_only=not console.encoding.startswith("utf"))
    day = f"{memory.created_at:%Y-%m-%d}"
    facets = ", ".join(clean(name) for name in memory.facets)
    lines = [
        Text(f"{scored} {memory.score:.2f}  {day}  hop {memory.hop}  {clean(memory.id)}"),
        Text(f"for: {facets}", style="cyan"),
        Text(clean(memory.why)),
    ]
    if memory.stale:
        lines.append(Text(f"does not hold: {clean(memory.stale)}", style="yellow"))
    for other in memory.conflicts_with:
        told = f"{clean(other.value)} ({other.created_at:%Y-%m-%d}, {clean(other.id)})"
        lines.append(Text(f"undecided, for this holds as well: {told}", style="yellow"))
    if memory.evidence:
        lines.append(Text(f'"{shorten(memory.evidence[0].text, SNIPPET)}"', style="dim"))
    for text in lines:
        console.print(Padding(text, (0, 0, 0, 3), expand=False))
    console.print()


def near_miss_line(near: NearMiss) -> str:
    """Title, score and what kept it out, in one line."""
    title = shorten(near.title, 36) or clean(near.id)
    return f"   {title} ({near.score:.2f}): {clean(near.cut_by)}"


def summary(result: RecallResult) -> str:
    """Why it stopped and what it cost."""
    spent = result.spent
    rounds = "1 round" if result.rounds == 1 else f"{result.rounds} rounds"
    cost = f"{cost_text(spent)}, " if spent.llm_calls else ""
    return (
        f"stopped: {result.stop_reason} after {rounds}, {spent.queries} queries, {cost}"
        f"{spent.ms:.0f} ms; trace {result.trace_id}"
    )
