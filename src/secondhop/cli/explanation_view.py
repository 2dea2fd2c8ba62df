"""Prints the explanation of one memory in one recall."""

from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean, shorten
from secondhop.graph.explanation import Explanation

if TYPE_CHECKING:
    from rich.console import Console


def show_explanation(explanation: Explanation, console: "Console") -> None:
    """Print the verdict, the story, and the smallest change that would let the memory in."""
    title, memory_id = shorten(explanation.title, 120), clean(explanation.memory_id)
    verdict = "returned" if explanation.returned else f"not returned: {clean(explanation.cut_by)}"
    console.print(f"{title} [{memory_id}]" if title else memory_id, style="bold")
    console.print(verdict, style="green" if explanation.returned else "yellow")
    for sentence in explanation.story:
        console.print(f"- {clean(sentence)}")
    if explanation.computed:
        console.print("How its score was computed:", style="dim")
    for part in explanation.parts:
        console.print(f"  {part.added:+.2f}  {part.name}: {part.meaning}", style="dim")
    for sentence in explanation.computed:
        console.print(f"- {clean(sentence)}", style="dim")
    if explanation.nearest_change:
        told = f"What would let it in: {clean(explanation.nearest_change)}"
        console.print(told, soft_wrap=True)  # a command in it stays whole for copying
