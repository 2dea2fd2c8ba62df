"""The record of one question of an evaluation: what was returned, and the cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from secondhop.evals.missed import MissedFacet
from secondhop.graph.result import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question."""

    ids: list[str]
    """Memory ids, best first. For an unanswerable question only those at or above `min_score`;
    ideally []."""
    ms: float = 0.0
    spent: Spent
    degraded: list[str] = field(default_factory=list[str])
    plain: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{baseline: memory ids}; {} for an unanswerable question."""
    missed: list[MissedFacet] = field(default_factory=list[MissedFacet])
    """[] if it was not asked for."""
