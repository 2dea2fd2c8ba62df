"""Where the scenarios that come with a checkout are."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.evals.scenario import MEMORIES_FILE

PLACES = (
    Path(__file__).resolve().parents[3] / "examples" / "scenarios",
    Path("examples/scenarios"),
)
"""In the checkout this file belongs to, else in the one we stand in."""


def shipped_scenarios() -> list[Path]:
    """The scenario folders of the checkout, by name.

    Raises:
        UsageError: there is no checkout; an installed package does not carry them.
    """
    for place in PLACES:
        folders = sorted(file.parent for file in place.glob(f"*/{MEMORIES_FILE}"))
        if folders:
            return folders
    raise UsageError(
        "the example scenarios come with a checkout of secondhop, not with the installed package; "
        "run this from a checkout, or name a scenario folder of your own "
        "(its format: examples/scenarios/FORMAT.md)"
    )


def shipped_scenario(name: str) -> Path:
    """One of them.

    Raises:
        UsageError: there is no checkout, or no scenario of that name in it.
    """
    for folder in shipped_scenarios():
        if folder.name == name:
            return folder
    raise UsageError(f"the checkout has no scenario named {name!r}")
