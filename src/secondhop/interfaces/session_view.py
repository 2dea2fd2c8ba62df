"""A round of a session, for people: numbers to vote by, and why each memory is there."""

from typing import TYPE_CHECKING

from secondhop.graph.result import RecalledMemory
from secondhop.graph.session_result import SessionAnswer
from secondhop.interfaces.terminal import clean, shorten

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "1-9 pick  h hot  w warm  c cold  x wrong  s spark  u undo  n next round  ? why  "
    "r resolve  q quit"
)
SNIPPET = 120
"""Characters of the one passage shown for a memory."""


def show_round(answer: SessionAnswer, console: "Console") -> None:
    """Numbered memories, then those of the branches, then the keys."""
    left = f"{answer.rounds_left} left" if answer.rounds_left else "the last"
    console.print(f"Round {answer.round} ({left}): {clean(answer.why)}", style="bold")
    number = 0
    for memory in answer.memories:
        show_line(memory, console, number=(number := number + 1))
    for branch in answer.branches:
        console.print(f'"{shorten(branch.title, 60)}" led to:', style="cyan")
        for memory in branch.memories:
            show_line(memory, console, number=(number := number + 1))
    for reason in answer.degraded:
        console.print(f"done without: {clean(reason)}", style="yellow")
    console.print(HELP, style="dim")


def show_line(memory: RecalledMemory, console: "Console", *, number: int) -> None:
    """One memory and its best passage."""
    vote = f" [{memory.vote}]" if memory.vote else ""
    console.print(f"{number:2}. {titled(memory)} ({memory.created_at:%Y-%m-%d}){vote}")
    if memory.evidence:
        console.print(f'    "{shorten(memory.evidence[0].text, SNIPPET)}"', style="dim")


def show_why(memory: RecalledMemory, console: "Console", *, number: int) -> None:
    """The reason, the facets, and all of its evidence."""
    console.print(f"{number}. {titled(memory)} [{clean(memory.id)}]: {clean(memory.why)}")
    console.print(f"    for: {', '.join(clean(name) for name in memory.facets)}", style="cyan")
    for passage in memory.evidence:
        console.print(f'    "{clean(passage.text)}"', style="dim")


def titled(memory: RecalledMemory) -> str:
    """Its title, else its id."""
    return shorten(memory.title, 80) or clean(memory.id)
