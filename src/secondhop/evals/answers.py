"""Asks one question of an evaluation, and records what came back and what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from secondhop.evals.missed import MissedFacet
from secondhop.graph.result import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question, asked."""

    ids: list[str]
    """Of an unanswerable question, those at or above the threshold; ideally []."""
    ms: float = 0.0
    spent: Spent
    degraded: list[str] = field(default_factory=list[str])
    plain: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{baseline: ids}; {} for an unanswerable question."""
    missed: list[MissedFacet] = field(default_factory=list[MissedFacet])
    """[] where it was not asked for."""
