"""The trace of a recall: why each memory came back, and why any other did not.

`schema_version` grows when a field changes its meaning or goes; older traces are read, too.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Field

from secondhop.graph.result import Frozen, Spent
from secondhop.nodes.state import Effort

SCHEMA_VERSION: Final = 2


class Told(Frozen, extra="ignore"):
    """A part of a trace; what only older versions had is passed over."""


class TraceStep(Told):
    """One run of one node."""

    node: str
    round: int
    ms: float
    note: str = ""
    """What it did, in a few words and numbers."""
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    error: str = ""


class TraceFacet(Told):
    """One facet the recall looked for."""

    facet_id: str
    name: str
    why: str
    hop: int
    weight: float


class TraceHit(Told):
    """One memory that one search of one query found."""

    memory_id: str
    rank: int
    """From 1."""
    score: float
    """Dense: cosine. Lexical: normalised BM25, 0..1."""


def _ranked(hits: object) -> object:
    """{memory id: score}, best first, as a trace is written; or hits as they are."""
    if not isinstance(hits, Mapping):
        return hits
    found = cast(Mapping[str, float], hits).items()
    return [
        {"memory_id": memory_id, "rank": rank, "score": score}
        for rank, (memory_id, score) in enumerate(found, start=1)
    ]


Hits: TypeAlias = Annotated[list[TraceHit], BeforeValidator(_ranked)]


class TraceQuery(Told):
    """One query and everything it found."""

    query_id: str
    facet_id: str
    text: str
    hop: int
    round: int
    origin: str
    dense: Hits = Field(default_factory=list[TraceHit])
    lexical: Hits = Field(default_factory=list[TraceHit])
    error: str = ""


class TraceFacetScore(Told):
    """How a candidate stands within one facet."""

    facet_id: str
    rank: int
    """In the facet's own fused ranking, from 1."""
    fused: float
    """Reciprocal rank fusion score."""
    relevance: float
    """Calibrated, 0..1."""
    dense: float
    """Best cosine over the facet's queries."""
    lexical: float
    """Best normalised BM25 over the facet's queries, 0 when no word matched."""


class TraceVote(Told):
    """One vote on a candidate."""

    vote: str
    by: str
    round: int
    reason: str
    repeats: str | None = None
    replaced_by: str | None = None
    place: int | None = None
    """Among its round's votes in favour, from 1 for the best; 0: not in favour; None: the
    voter gave no order."""


class TraceDrop(Told):
    """A candidate left behind at a stage."""

    stage: Literal["fuse", "shortlist", "critique", "pick", "tokens"]
    round: int
    reason: str
    rank: int | None = None
    score: float | None = None
    threshold: float | None = None
    against: str | None = None
    """The memory that took its place or that it repeats."""
    budget: int | None = None
    """Tokens that would hold it, in a recall that fills tokens."""


class TraceCandidate(Told):
    """Everything known about one memory that some query found."""

    memory_id: str
    title: str
    first_round: int
    score: float
    parts: dict[str, float] = Field(default_factory=dict[str, float])
    """What each retriever added to the score of a question without a plan, in standard deviations
    over the candidates; {} where a plan's facets share the slots."""
    cue: str = ""
    """The request it was stored for that is nearest to the question; "" where none lifts it."""
    undertaking: str = ""
    """The broad cue that it shares with the top memories; "" where that does not lift it."""
    proved_for: str = ""
    """The question of a session that it helped with and that is nearest to this one."""
    refused_for: str = ""
    """The question of a session for which it was voted down and that is nearest to this one."""
    outdated_by: str = ""
    """The newer memory whose annotation says that it replaces it."""
    weakened_by: str = ""
    """The newer memory because of which it counts less: by its annotation, or because it seems to
    say the same afresh."""
    facet_scores: list[TraceFacetScore]
    factors: dict[str, float] = Field(default_factory=dict[str, float])
    """What its source, its salience, its age, what was learned and what is newer make of relevance;
    parts of 1 are left out. Age counts for the question itself alone."""
    votes: list[TraceVote] = Field(default_factory=list[TraceVote])
    drops: list[TraceDrop] = Field(default_factory=list[TraceDrop])
    """In the order they happened; dropped in one round, it may return in the next."""
    slot: int | None = None
    """Its place in the answer, from 1; None when it was not returned."""
    slot_facet: str = ""
    """Id of the facet that gave it the slot; "" when it was not returned."""
    why: str = ""
    """`RecalledMemory.why`; "" when it was not returned, and in older traces."""


class TraceHidden(Told):
    """A memory that queries found and that may not be shown."""

    memory_id: str
    title: str
    reason: str
    """ "superseded by m-7 on 2026-03-01"."""


class TracePreference(Told):
    """A preference that was given with the answer."""

    memory_id: str
    scope: str
    """ "always", or the context it holds in."""
    score: float
    """How near its context was, 0..1; 1 for what always holds, or the plan asked for by name."""
    facet: str = ""
    """Name of the plan's facet that asked for it; "" where the plan did not."""
    query: str = ""
    """The query of that facet that is nearest to the context."""
    by_name: bool = False
    """The plan asked for it by name."""
    stale: str = ""
    """Why it does not hold any more; "" while it does."""


class RecallTrace(Told):
    """The whole story of one recall."""

    schema_version: Literal[1, 2] = SCHEMA_VERSION
    trace_id: str
    entity: str
    question: str
    asked_at: datetime
    k: int
    tokens: int | None = None
    """The budget of evidence, when one was given instead of k."""
    settings: dict[str, float | int | str | bool | None]
    """Limits and ranking settings in force."""
    embedder: str
    planner: str
    critic: str
    prompts: dict[str, str] = Field(default_factory=dict[str, str])
    """{label: words} of the prompts of your own that it was planned and judged with; of what comes
    with secondhop the labels in `planner` and `critic` say enough."""
    facets: list[TraceFacet]
    queries: list[TraceQuery]
    candidates: list[TraceCandidate]
    """Best score first: the best 40, and all others with a vote, a drop, a slot, or a newer memory
    that replaces them."""
    rest: dict[str, float] = Field(default_factory=dict[str, float])
    """{memory id: score} of all others that were found, best first."""
    forgotten: list[str] = Field(default_factory=list[str])
    """Ids of memories that were forgotten since; their words were taken out of the trace."""
    hidden: list[TraceHidden] = Field(default_factory=list[TraceHidden])
    """What queries found and what does not hold any more, or is given apart."""
    preferences: list[TracePreference] = Field(default_factory=list[TracePreference])
    """Those that were given with the answer."""
    as_of: datetime | None = None
    """What was believed then was asked for."""
    include_stale: bool = False
    """What does not hold any more was asked for, too."""
    where: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The filter that was given: `Where.values()`; {}: none."""
    effort: Effort | None = None
    """None: of version 0.1, which asked all the models it had."""
    steps: list[TraceStep]
    returned: list[str]
    stop_reason: str
    stop_detail: str
    degraded: list[str] = Field(default_factory=list[str])
    spent: Spent

    def candidate(self, memory_id: str) -> TraceCandidate | None:
        """The candidate of that id, or None when no query found it.

        Of the rest only the score is known, and which queries found it.
        """
        if memory_id in self.rest:
            return _one_of_the_rest(self, memory_id)
        return next((c for c in self.candidates if c.memory_id == memory_id), None)

    def scores(self) -> list[float]:
        """Of all that was found, best first."""
        return [*(candidate.score for candidate in self.candidates), *self.rest.values()]


def _one_of_the_rest(trace: RecallTrace, memory_id: str) -> TraceCandidate:
    found = [
        query.round
        for query in trace.queries
        if any(hit.memory_id == memory_id for hit in (*query.dense, *query.lexical))
    ]
    return TraceCandidate(
        memory_id=memory_id,
        title="",
        first_round=min(found, default=1),
        score=trace.rest[memory_id],
        facet_scores=[],
    )


def hidden_of(trace: RecallTrace, memory_id: str) -> TraceHidden | None:
    """The hidden memory of that id, or None."""
    return next((one for one in trace.hidden if one.memory_id == memory_id), None)


def preference_of(trace: RecallTrace, memory_id: str) -> TracePreference | None:
    """The preference of that id that was given, or None."""
    return next((one for one in trace.preferences if one.memory_id == memory_id), None)
