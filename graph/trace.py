"""The trace of a recall: why each memory came back, and why any other did not.

`schema_version` grows if a field changes its meaning or is removed. Older traces can still be read.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from secondhop.graph.result import Frozen, Spent
from secondhop.nodes.state import Effort

SCHEMA_VERSION: Final = 2


class Told(Frozen, extra="ignore"):
    """A part of a trace; fields that only older versions had are ignored."""


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
    """Hits from {memory id: score}, best first, the form in which a trace is written."""
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
    """A candidate's score in one facet."""

    facet_id: str
    rank: int
    """Rank in the facet's fused ranking, from 1."""
    fused: float
    """Reciprocal rank fusion score."""
    relevance: float
    """Calibrated, 0..1."""
    dense: float
    """Best cosine over the facet's queries."""
    lexical: float
    """Best normalised BM25 over the facet's queries; 0.0 if no word matched."""


class TraceVote(Told):
    """One vote on a candidate."""

    vote: str
    by: str
    round: int
    reason: str
    repeats: str | None = None
    replaced_by: str | None = None
    place: int | None = None
    """Place among its round's votes in favour, from 1 for the best; 0: not in favour; None: the
    voter gave no order."""

    @field_validator("reason")
    @classmethod
    def _given(cls, reason: str, info: ValidationInfo) -> str:
        """The reason; "" for the words of older traces where the voter gave none."""
        none = (f"voted {info.data.get('vote')}", f"said the {info.data.get('by')}")
        return "" if reason in none else reason


class TraceDrop(Told):
    """Why a candidate was dropped at a stage."""

    stage: Literal["fuse", "shortlist", "critique", "pick", "tokens"]
    round: int
    reason: str
    rank: int | None = None
    score: float | None = None
    threshold: float | None = None
    against: str | None = None
    """The memory that took its place or that it repeats."""
    budget: int | None = None
    """The budget of tokens that would hold it, if the recall fills one."""

    @field_validator("reason")
    @classmethod
    def _as_today(cls, reason: str) -> str:
        """The reason; older traces say "voted cold: said the person" where a vote had none."""
        return re.sub(r": said the (person|agent)$", r" by the \1", reason)


class TraceCandidate(Told):
    """Everything known about one memory that some query found."""

    memory_id: str
    title: str
    first_round: int
    score: float
    parts: dict[str, float] = Field(default_factory=dict[str, float])
    """{part: what it added to the score}, weighted, in standard deviations over the candidates; {}
    if neither cues nor playbooks found anything."""
    cue: str = ""
    """Its cue nearest to the question; "" if its cues do not raise its score."""
    undertaking: str = ""
    """The broad cue that it shares with the top memories; "" if that does not raise its score."""
    proved_for: str = ""
    """The nearest question of an earlier session that it helped with; "": none."""
    refused_for: str = ""
    """The nearest question of an earlier session for which it was voted down; "": none."""
    outdated_by: str = ""
    """The newer memory whose annotation says that it replaces this one; "": none."""
    weakened_by: str = ""
    """The newer memory that lowers its score, because an annotation says that it replaces this one
    or because it seems to be a new version; "": none."""
    close_to: str = ""
    """The memory ahead of it that is close to it in wording or meaning, for which it came last; "":
    none."""
    facet_scores: list[TraceFacetScore]
    """Highest relevance first."""
    factors: dict[str, float] = Field(default_factory=dict[str, float])
    """{name: factor on relevance}, without factors of 1. Age counts only for the question itself.
    """
    votes: list[TraceVote] = Field(default_factory=list[TraceVote])
    drops: list[TraceDrop] = Field(default_factory=list[TraceDrop])
    """By round; a candidate that was dropped in one round may return in the next."""
    slot: int | None = None
    """Its place in the answer, from 1; None: it was not returned."""
    slot_facet: str = ""
    """Id of the facet that gave it the slot; "": it was not returned."""
    sparked_by: str = ""
    """The memory whose spark led to it, in a branch beside the answer; "": it is in no branch."""
    why: str = ""
    """`RecalledMemory.why`; "" if it was not returned, and in older traces."""


class TraceMiss(Told):
    """A near miss."""

    memory_id: str
    reason: str
    """Why it is not in the answer."""


class TraceHidden(Told):
    """A memory that queries found but that may not be shown."""

    memory_id: str
    title: str
    reason: str
    """For example "superseded by m-7 on 2026-03-01"."""


class TracePreference(Told):
    """A preference that was given with the answer."""

    memory_id: str
    scope: str
    """ "always", or the context in which it applies."""
    score: float
    """Similarity of its context, 0..1; 1.0 if it always applies or was asked for by name."""
    facet: str = ""
    """Name of the plan's facet that asked for it; "" if no facet did."""
    query: str = ""
    """The query of that facet that is nearest to the context."""
    by_name: bool = False
    """The plan asked for it by name."""
    stale: str = ""
    """Why it no longer holds; "" while it does."""


class RecallTrace(Told):
    """The whole story of one recall."""

    schema_version: Literal[1, 2] = SCHEMA_VERSION
    trace_id: str
    entity: str
    question: str
    asked_at: datetime
    k: int
    tokens: int | None = None
    """The budget of evidence, if one was given instead of k."""
    settings: dict[str, float | int | str | bool | None]
    """The settings of the recall by dotted name, plus what it decided itself: `question.kind`,
    `slots.by`, `answer.min_score`."""
    embedder: str
    planner: str
    critic: str
    prompts: dict[str, str] = Field(default_factory=dict[str, str])
    """{label: text} of the planner's and critic's prompts that do not ship with secondhop. For
    shipped prompts, the labels in `planner` and `critic` are enough."""
    facets: list[TraceFacet]
    queries: list[TraceQuery]
    candidates: list[TraceCandidate]
    """Best score first: the best 40, and all others with a vote, a drop, a slot, or a newer memory
    whose annotation says that it replaces them."""
    rest: dict[str, float] = Field(default_factory=dict[str, float])
    """{memory id: score} of all other candidates, best first."""
    forgotten: list[str] = Field(default_factory=list[str])
    """Ids of memories that were forgotten since; their words were removed from the trace."""
    hidden: list[TraceHidden] = Field(default_factory=list[TraceHidden])
    """Memories that queries found but that may not be shown."""
    preferences: list[TracePreference] = Field(default_factory=list[TracePreference])
    """The preferences that were given with the answer."""
    as_of: datetime | None = None
    """The recall answered with what was believed at this time; None: now."""
    include_stale: bool = False
    """Memories that no longer hold could come back, too."""
    where: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The filter that was given: `Where.values()`; {}: none."""
    effort: Effort | None = None
    """None: from version 0.1, which asked all the models that it had."""
    steps: list[TraceStep]
    returned: list[str]
    evidence: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    """{memory id: ids of the passages that came back of it}, best first; {} in older traces."""
    near_misses: list[TraceMiss] = Field(default_factory=list[TraceMiss])
    """The `maybe` of the result, nearest first; [] in older traces."""
    stop_reason: str
    stop_detail: str
    session_id: str = ""
    """The session that it is a round of; "": none, or an older trace."""
    degraded: list[str] = Field(default_factory=list[str])
    spent: Spent

    def candidate(self, memory_id: str) -> TraceCandidate | None:
        """The candidate with that id; None if no query found it.

        For one of `rest`, only the score and the round are known.
        """
        if memory_id in self.rest:
            return _one_of_the_rest(self, memory_id)
        return next((c for c in self.candidates if c.memory_id == memory_id), None)

    def scores(self) -> list[float]:
        """The scores of all candidates, best first."""
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
    """The hidden memory with that id, or None."""
    return next((one for one in trace.hidden if one.memory_id == memory_id), None)


def preference_of(trace: RecallTrace, memory_id: str) -> TracePreference | None:
    """The preference with that id that was given, or None."""
    return next((one for one in trace.preferences if one.memory_id == memory_id), None)
