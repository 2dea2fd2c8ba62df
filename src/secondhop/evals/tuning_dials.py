"""The dials that tuning turns: numbers of `RankingSettings`, each in steps between two bounds.

Not among them is `min_score`: relevance is calibrated so that it means the same everywhere, and no
measure of the objective prices a memory that nobody needed, so a search would only lower it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from secondhop.nodes.settings import RecallSettings


@dataclass(frozen=True, slots=True)
class Dial:
    """One number that may be turned."""

    name: str
    """In `RankingSettings`."""
    low: float
    high: float
    step: float
    whole: bool = False


DIALS = (
    Dial("dense_weight", 0.4, 0.9, 0.05),
    Dial("lookup_shift", 0.0, 0.3, 0.05),
    Dial("rrf_k", 10, 100, 10, whole=True),
    Dial("facet_closing", 1.0, 5.0, 0.5),
    Dial("redundancy_limit", 0.3, 0.9, 0.05),
    Dial("xquad_lambda", 0.5, 1.0, 0.05),
    Dial("direct_weight", 0.5, 3.0, 0.25),
)
"""`lexical_weight` follows `dense_weight`: together they are 1."""

Turned: TypeAlias = tuple[tuple[str, float], ...]
"""(dial, value) each; () leaves the settings as they are."""


def turned(values: Mapping[str, float]) -> Turned:
    """Dials in their order, without the last bits that steps leave behind."""
    return tuple(
        (dial.name, int(values[dial.name]) if dial.whole else round(values[dial.name], 4))
        for dial in DIALS
        if dial.name in values
    )


def changes_of(dials: Turned) -> dict[str, float]:
    """{name in `RankingSettings`: value}."""
    changes = dict(dials)
    if "dense_weight" in changes:
        changes["lexical_weight"] = round(1 - changes["dense_weight"], 4)
    return changes


def applied(settings: RecallSettings, dials: Turned) -> RecallSettings:
    """The settings with these dials turned."""
    changes: dict[str, Any] = changes_of(dials)
    return replace(settings, ranking=replace(settings.ranking, **changes))
