"""What is stored, for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console


def show_stats(counts: Mapping[str, object], console: "Console") -> None:
    """One line a count."""
    for name, count in counts.items():
        told = "unknown" if count is None else clean(str(count))
        console.print(f"{name.replace('_', ' ')}: {told}", soft_wrap=True)
