"""The trace of a recall: why each memory came back, and why any other did not.

Written as JSON; `schema_version` grows when a field changes its meaning or goes.
"""

from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError

from secondhop.errors import UsageError
from secondhop.graph.result import Frozen, Spent
from secondhop.nodes.state import Effort

SCHEMA_VERSION: Final = 1


class TraceStep(Frozen):
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


class TraceFacet(Frozen):
    """One facet the recall looked for."""

    facet_id: str
    name: str
    why: str
    hop: int
    weight: float


class TraceHit(Frozen):
    """One memory that one search of one query found."""

    memory_id: str
    passage_id: str
    rank: int
    """From 1."""
    score: float
    """Dense: cosine. Lexical: normalised BM25, 0..1."""


class TraceQuery(Frozen, extra="ignore"):
    """One query and everything it found."""

    query_id: str
    facet_id: str
    text: str
    hop: int
    round: int
    origin: str
    nearness: float | None = None
    """Of a looked-up fact: its similarity to the question and the plan's query together, 0..1; None
    where it was asked for by name."""
    dense: list[TraceHit]
    lexical: list[TraceHit]
    error: str = ""


class TraceFacetScore(Frozen):
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


class TraceVote(Frozen):
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


class TraceDrop(Frozen):
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


class TraceCandidate(Frozen):
    """Everything known about one memory that some query found."""

    memory_id: str
    title: str
    created_at: datetime | None
    first_round: int
    score: float
    parts: dict[str, float] = Field(default_factory=dict[str, float])
    """What each retriever added to the score of a question without a plan, in standard deviations
    over the candidates; {} where a plan's facets share the slots."""
    cue: str = ""
    """The request it was stored for that is nearest to the question; "" where none lifts it."""
    outdated_by: str = ""
    """The newer memory whose annotation says that it replaces it."""
    facet_scores: list[TraceFacetScore]
    factors: dict[str, float] = Field(default_factory=dict[str, float])
    """What its source, its salience, its age and what was learned make of relevance; parts of 1
    are left out. Age counts for the question itself alone."""
    votes: list[TraceVote]
    drops: list[TraceDrop]
    """In the order they happened; dropped in one round, it may return in the next."""
    slot: int | None
    """Its place in the answer, from 1; None when it was not returned."""
    slot_facet: str = ""
    """Id of the facet that gave it the slot; "" when it was not returned."""


class TraceHidden(Frozen):
    """A memory that queries found and that may not be shown."""

    memory_id: str
    title: str
    reason: str
    """ "superseded by m-7 on 2026-03-01"."""


class TracePreference(Frozen):
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


class RecallTrace(Frozen):
    """The whole story of one recall."""

    schema_version: Literal[1] = SCHEMA_VERSION
    trace_id: str
    entity: str
    question: str
    asked_at: datetime
    k: int
    tokens: int | None = None
    """The budget of evidence, when one was given instead of k."""
    settings: dict[str, float | int | str | bool | None]
    """Limits and ranking settings in force."""
    kept_settings: list[str] = Field(default_factory=list[str])
    """Those of them that the entity asks for: kept with it, not set by the caller."""
    embedder: str
    planner: str
    critic: str
    facets: list[TraceFacet]
    queries: list[TraceQuery]
    candidates: list[TraceCandidate]
    """Best score first."""
    hidden: list[TraceHidden] = Field(default_factory=list[TraceHidden])
    """What queries found and what does not hold any more, or is given apart."""
    preferences: list[TracePreference] = Field(default_factory=list[TracePreference])
    """Those that were given with the answer."""
    as_of: datetime | None = None
    """What was believed then was asked for."""
    include_stale: bool = False
    """What does not hold any more was asked for, too."""
    effort: Effort | None = None
    """None: of version 0.1, which asked all the models it had."""
    steps: list[TraceStep]
    returned: list[str]
    stop_reason: str
    stop_detail: str
    degraded: list[str] = Field(default_factory=list[str])
    spent: Spent

    def candidate(self, memory_id: str) -> TraceCandidate | None:
        """The candidate of that id, or None when no query found it."""
        return next((c for c in self.candidates if c.memory_id == memory_id), None)


def hidden_of(trace: RecallTrace, memory_id: str) -> TraceHidden | None:
    """The hidden memory of that id, or None."""
    return next((one for one in trace.hidden if one.memory_id == memory_id), None)


def preference_of(trace: RecallTrace, memory_id: str) -> TracePreference | None:
    """The preference of that id that was given, or None."""
    return next((one for one in trace.preferences if one.memory_id == memory_id), None)


def load_trace(path: Path) -> RecallTrace:
    """Read a trace file.

    Raises:
        UsageError: no such file, not a trace, or written by a newer secondhop.
    """
    try:
        return RecallTrace.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the trace {path}: {error.strerror}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is not a secondhop trace of schema version {SCHEMA_VERSION}; "
            f"`secondhop recall` keeps one of every recall and prints its id"
        ) from error
