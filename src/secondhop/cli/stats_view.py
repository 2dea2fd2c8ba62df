"""What is stored, for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console


def show_stats(found: Mapping[str, object], console: "Console") -> None:
    """One line a fact."""
    for name, fact in found.items():
        told = "unknown" if fact is None else clean(str(fact))
        console.print(f"{clean(name).replace('_', ' ')}: {told}", soft_wrap=True)
