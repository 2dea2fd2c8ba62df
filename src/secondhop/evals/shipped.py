"""The example scenarios: in examples/scenarios of a checkout, or inside the installed package."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.evals.scenario import MEMORIES_FILE

PLACES = (
    Path(__file__).resolve().parents[1] / "scenarios",
    Path(__file__).resolve().parents[3] / "examples" / "scenarios",
)
"""Installed; in the checkout that this file belongs to."""


def shipped_scenarios() -> list[Path]:
    """Their folders, by name."""
    return sorted(file.parent for place in PLACES for file in place.glob(f"*/{MEMORIES_FILE}"))


def shipped_scenario(name: str) -> Path:
    """One of them.

    Raises:
        UsageError: none has that name.
    """
    for folder in shipped_scenarios():
        if folder.name == name:
            return folder
    raise UsageError(f"no example scenario is named {name!r}")
