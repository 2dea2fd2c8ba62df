"""What is stored, and how many answers its sessions needed, for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean, shorten
from secondhop.learning.records import RoundCounts

if TYPE_CHECKING:
    from rich.console import Console


def show_stats(counts: Mapping[str, object], rounds: RoundCounts, console: "Console") -> None:
    """One line a count; then the sessions, and each context that needs many answers."""
    for name, count in counts.items():
        told = "unknown" if count is None else clean(str(count))
        console.print(f"{name.replace('_', ' ')}: {told}", soft_wrap=True)
    console.print(f"sessions: {rounds.sessions:g} resolved; {rounds.verdict}", soft_wrap=True)
    for context in rounds.needs_tuning:
        about = ", ".join(f"“{shorten(title, 40)}”" for title in context.about())
        needs = f"context {context.context_id} needs {context.mean_rounds:.2g} answers"
        console.print(f"{needs}: about {about}" if about else needs, soft_wrap=True)
