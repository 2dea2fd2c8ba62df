"""The state of a recall: plain values that a checkpoint can store and a trace can show.

The state holds ids, scores, reasons and the words of cues. It holds no vectors and no memory text;
`resolve` looks up the text of the memories that are returned. Keys that parallel nodes write have a
reducer. Every reducer is commutative, because two branches never add entries with the same key.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import or_  # pyright: ignore[reportUnknownVariableType]
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeAlias,
    get_args,
)

from typing_extensions import TypedDict  # pydantic wants it before Python 3.12

from secondhop.ranking.votes import VoteName

Retriever: TypeAlias = Literal["dense", "lexical"]
QuestionKind: TypeAlias = Literal["factual", "conceptual", "procedural", "temporal"]

Effort: TypeAlias = Literal["none", "low", "high"]
"""How much a recall may ask a language model. `none`: nothing. `low`: one vote on what the searches
found. `high`: a plan, then votes until the critic is content."""

EFFORTS: Sequence[Effort] = get_args(Effort)

DIRECT = "f0"
"""Facet id of the question itself."""

QUESTION_WEIGHT = 1.5
"""Weight of the question itself. Other facets weigh about 1."""

FACT_NAMED, FACT_ASKED = "fact", "plan"
"""Origins of queries that look up a fact. `fact`: the question or a query names it. `plan`: the
planner saw the list of names and asked for this one."""

TOO_LATE = "no answer before the deadline"
"""The error in a ranking whose search was given up."""


def add_counts(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Sum of two counters.

    >>> add_counts({"llm_calls": 1}, {"llm_calls": 2, "queries": 3})
    {'llm_calls': 3, 'queries': 3}
    """
    return {key: left.get(key, 0) + right.get(key, 0) for key in [*left, *(set(right) - set(left))]}


class Facet(TypedDict):
    """One aspect of what a good answer needs."""

    facet_id: str
    """Short and unique within the recall: "f0" is the question itself."""
    name: str
    why: str
    hop: int
    """1: the question names it; 2: its intent implies it; 3 and up: found in earlier evidence."""
    weight: float
    """Share of the slots, relative to the other facets; > 0."""


class Query(TypedDict):
    """One search for one facet in one round."""

    query_id: str
    facet_id: str
    text: str
    hop: int
    round: int
    """The round that asks it, from 1; 0 while it waits."""
    origin: str
    """Where it comes from: question, decompose, expand, evidence, refine, spark, uncovered or
    playbook; fact or plan for a query that looks up a fact."""
    feedback: list["FeedbackRef"]
    """Votes that move the query vector; []: the vector is that of the text."""
    memory_ids: NotRequired[list[str]]
    """Take these memories instead of searching; missing: search."""


class PlanAsk(TypedDict):
    """The part of a plan that asked for a preference; both are "" if it asked by name."""

    facet_id: str
    query: str


class ByName(TypedDict):
    """Ids of the memories that a plan asked for by name."""

    facts: list[str]
    """The current fact of each name, most needed first; then what else is kept under the names."""
    preferences: list[str]


class FeedbackRef(TypedDict):
    """A vote that moves a query vector, with the passages it is about (never their vectors)."""

    passage_ids: list[str]
    vote: VoteName
    round: int
    memory_id: NotRequired[str]
    """The memory that the passages belong to."""


class Hits(TypedDict):
    """The passages that one search of a query found, best first; lists of equal length."""

    passage_ids: list[str]
    memory_ids: list[str]
    scores: list[float]


class Proved(TypedDict):
    """What earlier sessions about similar questions say about the memories."""

    votes: dict[str, float]
    """{memory id: votes for it minus votes against it, weighted by similarity of the questions}."""
    questions: dict[str, str]
    """{memory id: the nearest question that it helped with}."""
    refused: dict[str, str]
    """{memory id: the nearest question for which it was voted down}."""


class CueHits(TypedDict):
    """The memories whose cues are near one query, best first; lists of equal length."""

    memory_ids: list[str]
    specific: list[float]
    """Mean similarity of the memory's two nearest specific cues, less what it shares with everyday
    questions."""
    broad: list[float]
    """The same for its nearest broad cue."""
    nearest: float
    """The same for the nearest specific cue of any memory."""
    nearest_broad: NotRequired[float]
    """The same for the nearest broad cue of any memory; missing: there is none."""
    cues: list[str]
    """The text of the cue that speaks most for each memory."""
    proved: NotRequired[Proved]
    """Missing: no session was about a similar question."""


class Ranking(TypedDict):
    """What one query found."""

    query_id: str
    dense: Hits
    lexical: Hits
    cosines: dict[str, float]
    """{passage id: cosine}, for passages that only the lexical search found."""
    error: str
    """"" when both searches worked."""
    hidden: NotRequired[dict[str, str]]
    """{memory id: why it may not be shown}, for hidden memories that the searches found."""
    cues: NotRequired[CueHits]
    """Missing: no memory has cues."""


class FacetScore(TypedDict):
    """How a candidate stands within one facet."""

    rank: int
    fused: float
    relevance: float
    dense: float
    lexical: float
    passage_ids: Sequence[str]
    """Evidence, best first."""
    query_ids: Sequence[str]
    """The query that found each of `passage_ids`."""
    passage_scores: Sequence[float]
    text: NotRequired[float]
    """Calibrated relevance of the text alone, if `relevance` is a blend with other parts."""


class Suggested(TypedDict):
    """The memories that playbooks suggest, best first; lists of equal length."""

    memory_ids: list[str]
    scores: list[float]
    """Weighted affinity to the facets, at least 0; comparable only within one recall."""
    facet_ids: list[str]
    """The facet that adds most to the score; "" if it is not one of those the trace names."""
    passage_ids: list[str]
    """The passage nearest to that facet."""
    cosines: list[float]
    """Cosine of that passage to the question."""
    confidence: float
    """0..1: how sure the playbooks are of the question's intent."""


class Candidate(TypedDict):
    """A memory in the pool."""

    memory_id: str
    title: str
    source: str
    created_at: str
    first_round: int
    score: float
    scores: dict[str, FacetScore]
    """By facet id."""
    kind: NotRequired[str]
    """factual or preferential; missing: continuity."""
    salience: NotRequired[float]
    """0..1; missing: it was never set."""
    cue: NotRequired[str]
    """Its cue nearest to the question, if its cues raise its score."""
    undertaking: NotRequired[str]
    """The broad cue that it shares with the top memories, if that raises its score."""
    proved_for: NotRequired[str]
    """The nearest question of an earlier session that it helped with."""
    role: NotRequired[str]
    """What kind of help it gives; missing: none was noted."""
    outdated_by: NotRequired[str]
    """The newer memory whose annotation says that it replaces this one; missing: none does."""
    sparked_by: NotRequired[str]
    """In the trace of a session: the memory whose spark led to it; missing: it is in no branch."""
    parts: NotRequired[dict[str, float]]
    """What each part added to the score, by name; missing if a plan's facets share the slots."""


class HiddenHit(TypedDict):
    """A memory that queries found but that may not be shown."""

    memory_id: str
    title: str
    reason: str


class Learned(TypedDict):
    """What earlier sessions about similar questions have taught."""

    factors: dict[str, float]
    """{memory id: factor on its relevance}; `learned_factor` says what it is on a chance."""
    questions: dict[str, str]
    """{memory id: the nearest question that it helped with}."""
    refused: NotRequired[dict[str, str]]
    """{memory id: the nearest question for which it was voted down}; missing in states that were
    stored before version 0.3."""


class Vote(TypedDict):
    """One vote on one memory in one round."""

    memory_id: str
    vote: VoteName
    by: str
    """critic, person or agent; or earlier sessions, if people refused the memory there."""
    round: int
    reason: str
    facet_ids: list[str]
    repeats: str | None
    replaced_by: str | None
    place: NotRequired[int | None]
    """Place among its round's votes in favour, from 1 for the best; 0: not in favour; None: the
    voter gave no order."""
    unnamed: NotRequired[bool]
    """Without a plan: the critic read the memory and did not name it. It may fill a free slot."""


class Pick(TypedDict):
    """A memory with a slot."""

    memory_id: str
    facet_id: str
    """The facet that gave it the slot."""


class Drop(TypedDict):
    """Why a candidate was dropped, at which stage, and in favour of which other memory."""

    memory_id: str
    stage: str
    round: int
    reason: str
    rank: int | None
    score: float | None
    threshold: float | None
    against: str | None
    budget: NotRequired[int | None]
    """Size of the budget of tokens that would hold it, if the recall fills one."""


class Step(TypedDict):
    """One run of one node."""

    node: str
    round: int
    started_at: float
    """Epoch seconds."""
    ms: float
    note: str
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: NotRequired[int]
    error: str


class RecallInput(TypedDict):
    """What a host passes in. Everything but the question has a default."""

    question: str
    k: NotRequired[int | None]
    """Memories to return; default `RecallLimits.k`."""
    tokens: NotRequired[int | None]
    """Instead of k: fill this many tokens with evidence."""
    asked_at: NotRequired[str | datetime | None]
    """The time of "now", as a datetime or ISO 8601; UTC if it has no zone. Default: the clock."""
    trace_id: NotRequired[str | None]
    as_of: NotRequired[str | datetime | None]
    """Answer with what was believed at this time."""
    include_stale: NotRequired[bool]
    """Also return superseded, deprecated and expired memories, marked as such."""
    where: NotRequired[Mapping[str, Any] | None]
    """A filter: `Where.values()`."""
    effort: NotRequired[Effort | None]
    """Default: `none` without a model; with one, `low` if most memories have cues, else `high`."""
    earlier: NotRequired[Sequence[str]]
    """What the person asked before, oldest first; a follow-up is searched together with it."""


class RecallState(TypedDict, total=False):
    """Everything a recall knows between two steps.

    A key is missing until some step writes it. The input and `begin` write most of the keys that
    every recall has.
    """

    question: str
    k: int
    tokens: int | None
    asked_at: str
    trace_id: str
    deadline_at: float
    """Epoch seconds."""
    kind: QuestionKind
    effort: Effort
    """Missing: as much as the configured models allow."""
    facets: Annotated[dict[str, Facet], or_]
    queries: Annotated[dict[str, Query], or_]
    rankings: Annotated[dict[str, Ranking], or_]
    candidates: dict[str, Candidate]
    suggested: Suggested
    """Written by `suggest`; missing: no playbook was used."""
    annotated: float
    """Share of the memories that were stored with cues, 0..1; missing: none were."""
    proved: bool
    """Whether sessions have written cues; missing: they have not."""
    name_replaced: bool
    """Whether annotations name memories that newer ones replace; missing: they do not."""
    stored: int
    """How many memories are stored; missing: it is not known."""
    shortlist: list[str]
    repeats: dict[str, str]
    """{memory id: the other memory on the shortlist that says most of the same}."""
    votes: Annotated[dict[str, Vote], or_]
    """By "<memory id>|<round>"."""
    content: bool
    """Whether the critic needs no further round."""
    picks: list[Pick]
    """The best answer so far, best first."""
    weakened: dict[str, str]
    """{memory id: the newer memory that lowers its score}, for the candidates of that answer."""
    named: dict[str, str]
    """{memory id: words of the question that its text contains and most other texts do not}."""
    close_to: dict[str, str]
    """{memory id: the memory ahead that says most of the same}, for those that came last for it."""
    seen: list[str]
    """Ids of all candidates of earlier rounds."""
    drops: Annotated[dict[str, Drop], or_]
    """By "<memory id>|<round>|<stage>"."""
    steps: Annotated[dict[str, Step], or_]
    spent: Annotated[dict[str, float], add_counts]
    degraded: Annotated[dict[str, str], or_]
    round: int
    stop_reason: str
    stop_detail: str
    sparks: Annotated[dict[str, str], or_]
    """{facet that a spark opened: the memory that got the spark vote}."""
    as_of: str
    """ISO 8601; "": what is believed today."""
    include_stale: bool
    where: Mapping[str, Any]
    """`Where.values()`; missing: no filter."""
    earlier: Sequence[str]
    """As given; `begin` puts what counts of it into the question and empties it."""
    preferences: dict[str, float]
    """{memory id: similarity of its context, 0..1}, for preferences that count for the question."""
    preferences_asked: dict[str, PlanAsk]
    """{memory id: what asked for it}, for those of them that only the plan asked for."""
    by_name: ByName
    """Written by `expand`; missing: the plan asked for nothing by name."""
    exposure: dict[str, float]
    """{memory id: 0..1, higher if it was shown for other questions lately}; missing: freshness is
    off."""
    learned: Learned
    """Written by the first `retrieve`; missing: no session was about a similar question."""
    hidden: list[HiddenHit]
    """Memories that queries found but that may not be shown; written by `resolve`."""
    result: dict[str, Any]
    """`RecallResult` as plain values; written by `resolve`."""


class RecallUpdate(RecallState, total=False):
    """What a node may return: some keys of the state, and a note for the trace."""

    note: str
    """Goes into the trace; the step wrapper removes it from the update."""


class RecallOutput(TypedDict):
    """What a host gets back."""

    result: dict[str, Any]


PLANNED = frozenset({"decompose", "expand"})
"""Origins of a planner's queries."""
