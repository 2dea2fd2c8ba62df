"""What is stored, for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.nodes.services import HubStanding


def show_stats(found: Mapping[str, object], console: "Console") -> None:
    """One line a fact."""
    for name, fact in found.items():
        told = "unknown" if fact is None else clean(str(fact))
        console.print(f"{clean(name).replace('_', ' ')}: {told}", soft_wrap=True)


def hubs_told(standing: "HubStanding") -> str:
    """What becomes of memories that are near to every question, and what to do about it."""
    if standing == "corrected":
        return "corrected"
    return (
        "not corrected: how near memories usually are with this embedding model was not measured; "
        "`secondhop eval calibrate DIR --out scale.yaml` does, and --scale scale.yaml uses it"
    )
