"""One question of an evaluation, asked: what came back, what it cost, and what was looked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from secondhop.evals.question_story import QuestionStory
from secondhop.graph.result import Spent
from secondhop.graph.trace import RecallTrace

ASKED_BY_ITSELF = "question"
"""Origin of the query that is the question as it stands: no prompt wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenQuery:
    """A query that a prompt brought about."""

    facet: str
    text: str
    origin: str
    """decompose, expand, uncovered, evidence, spark, …: who asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question, asked."""

    question: str
    ids: list[str]
    """Of an unanswerable question, those at or above the threshold; ideally []."""
    ms: float = 0.0
    spent: Spent
    queries: list[WrittenQuery] = field(default_factory=list[WrittenQuery])
    degraded: list[str] = field(default_factory=list[str])
    plain: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """{baseline: ids}; {} for an unanswerable question."""
    story: QuestionStory | None = None


def written_queries(trace: RecallTrace) -> list[WrittenQuery]:
    """The queries that were asked and that a prompt brought about, in order."""
    names = {facet.facet_id: facet.name for facet in trace.facets}
    return [
        WrittenQuery(facet=names[query.facet_id], text=query.text, origin=query.origin)
        for query in trace.queries
        if query.round and query.origin != ASKED_BY_ITSELF
    ]
