"""A replay for people: what came, what went, what moved, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.cost_view import cost_text
from secondhop.cli.terminal import clean, shorten
from secondhop.evals.replay import MemoryChange, Replay
from secondhop.graph.trace import RecallTrace
from secondhop.wording import causes_once, counted

if TYPE_CHECKING:
    from rich.console import Console

QUERIES_SHOWN = 12
"""A side; `--json` has them all."""


def show_replay(replay: Replay, console: "Console") -> None:
    """Print what is otherwise, in the recall and in its answer."""
    console.print(shorten(replay.after.question, 300), style="bold")
    asked_at = [str(one.asked_at) for one in (replay.before, replay.after)]
    show_difference("asked at", asked_at[0], asked_at[1], console)
    show_difference("planner", replay.before.planner, replay.after.planner, console)
    show_difference("critic", replay.before.critic, replay.after.critic, console)
    for name, (old, new) in replay.settings().items():
        show_difference(name, str(old), str(new), console)
    console.print()
    came, went, moved = replay.came(), replay.went(), replay.moved()
    show_changes("came", came, console, style="green")
    show_changes("went", went, console, style="red")
    show_changes("moved", moved, console, style="cyan")
    if not (came or went or moved):
        console.print("The answer is the same.")
    show_queries(replay, console)
    for role, trace in (("before", replay.before), ("now", replay.after)):
        console.print(f"{role}: {cost_line(trace)}", style="dim")
        for reason in causes_once(trace.degraded):
            console.print(f"{role} done without: {clean(reason)}", style="yellow")


def show_difference(name: str, old: str, new: str, console: "Console") -> None:
    """A line for what is not the same."""
    if old != new:
        console.print(f"{name}: {clean(old)} → {clean(new)}", soft_wrap=True)


def show_changes(
    head: str, changes: Sequence[MemoryChange], console: "Console", *, style: str
) -> None:
    """One memory two lines: its slots and title, and why."""
    for change in changes:
        slots = " → ".join(str(slot) for slot in (change.before, change.after) if slot)
        title, memory_id = shorten(change.title, 80), clean(change.memory_id)
        named = f"{title} [{memory_id}]" if title else memory_id
        console.print(f"{head:5} {slots:>7}  {named}", style=style)
        console.print(f"{'':15}{clean(change.why)}")


def show_queries(replay: Replay, console: "Console") -> None:
    """The queries that one of the two recalls did not ask."""
    for sign, style, texts in zip("-+", ("red", "green"), replay.queries(), strict=True):
        for text in texts[:QUERIES_SHOWN]:
            console.print(f"  {sign} {shorten(text, 120)}", style=style)
        if len(texts) > QUERIES_SHOWN:
            console.print(f"  {sign} and {len(texts) - QUERIES_SHOWN} more", style="dim")


def cost_line(trace: RecallTrace) -> str:
    """How it ended, what it cost, and its id."""
    cost = cost_text(trace.spent)
    paid = f", {cost}" if cost else ""
    rounds = counted(trace.spent.rounds, "round")
    return (
        f"{trace.stop_reason} after {rounds}{paid}, {trace.spent.ms:.0f} ms; trace {trace.trace_id}"
    )
