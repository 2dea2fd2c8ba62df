"""The example scenarios, in the installed package or in examples/scenarios of a checkout."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.evals.scenario import MEMORIES_FILE

PLACES = (
    Path(__file__).resolve().parents[1] / "scenarios",
    Path(__file__).resolve().parents[3] / "examples" / "scenarios",
)
"""In the installed package, and in the checkout that this file belongs to."""


def shipped_scenarios() -> list[Path]:
    """The folders of the example scenarios, sorted."""
    return sorted(file.parent for place in PLACES for file in place.glob(f"*/{MEMORIES_FILE}"))


def shipped_scenario(name: str) -> Path:
    """The folder of the example scenario with this name."""
    for folder in shipped_scenarios():
        if folder.name == name:
            return folder
    raise UsageError(f"no example scenario is named {name!r}")
