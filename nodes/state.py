"""The state of a recall: plain values that a checkpoint can store and a trace can show.

No vectors and no memory text live here, only ids, scores, reasons and the words of cues; the text
of the memories that are returned is looked up by `resolve`. Keys that parallel nodes write have a
reducer, and every reducer is commutative: the entries that two branches add differ in key.
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
    TypedDict,
    get_args,
)

from secondhop.ranking.votes import VoteName

Leg: TypeAlias = Literal["dense", "lexical"]
QuestionKind: TypeAlias = Literal["factual", "conceptual", "procedural", "temporal"]

Effort: TypeAlias = Literal["none", "low", "high"]
"""What a recall may ask a language model: nothing; one vote on what the searches found; a plan, and
votes until the critic is content."""

EFFORTS: Sequence[Effort] = get_args(Effort)

DIRECT = "f0"
"""Facet id of the question itself."""

QUESTION_WEIGHT = 1.5
"""Weight of the question itself against facets, whose weights lie around 1."""

FACT_NAMED, FACT_ASKED = "fact", "plan"
"""Origins of queries that look a fact up: the question or a query names it; the plan, told which
names there are, asks for it by name."""

TOO_LATE = "no answer before the deadline"
"""What stands in a ranking's error when a search was given up."""


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
    """1: the question names it; 2: the intent implies it; 3 and up: found in earlier evidence."""
    weight: float
    """Share of the slots, relative to the other facets; > 0."""


class Query(TypedDict):
    """One search for one facet in one round."""

    query_id: str
    facet_id: str
    text: str
    hop: int
    round: int
    """From 1; 0 while it waits to be asked."""
    origin: str
    """Who wrote it: question, decompose, expand, evidence, refine, spark, uncovered or playbook; or
    what asks for the fact it looks up: fact or plan."""
    feedback: list["FeedbackRef"]
    """Votes that bend the query vector; [] for a query that is its text alone."""
    memory_ids: NotRequired[list[str]]
    """Look among these memories alone, whatever a search would find; missing: search."""


class PlanAsk(TypedDict):
    """The part of a plan that asked for a preference; "" twice where it asked by name."""

    facet_id: str
    query: str


class ByName(TypedDict):
    """What a plan asked for by name, as memory ids."""

    facts: list[str]
    """What holds of each name first, the most needed ones in front."""
    preferences: list[str]


class FeedbackRef(TypedDict):
    """A vote that moves a query vector, by the passages it is about (never their vectors)."""

    passage_ids: list[str]
    vote: VoteName
    round: int
    memory_id: NotRequired[str]
    """Whose passages they are."""


class Hits(TypedDict):
    """The passages that one search of a query found, best first: columns of one length."""

    passage_ids: list[str]
    memory_ids: list[str]
    scores: list[float]


class Proved(TypedDict):
    """What sessions about questions near to one query have said."""

    votes: dict[str, float]
    """{memory id: votes for it, less those against it, each by how near its question is}."""
    questions: dict[str, str]
    """{memory id: the nearest question that it helped with}."""
    refused: dict[str, str]
    """{memory id: the nearest question for which it was voted down}."""


class CueHits(TypedDict):
    """The memories whose cues one query is near to, best first: columns of one length."""

    memory_ids: list[str]
    specific: list[float]
    """Mean similarity of the two nearest specific cues, less what everyday questions share."""
    broad: list[float]
    """The same of the nearest broad cue."""
    nearest: float
    """The same of the specific cue that is nearest of all."""
    cues: list[str]
    """The words of the cue that speaks most for the memory."""
    proved: NotRequired[Proved]
    """Missing: no session was about such a question."""


class Ranking(TypedDict):
    """What one query found."""

    query_id: str
    dense: Hits
    lexical: Hits
    cosines: dict[str, float]
    """Of passages that only the lexical search found, by passage id."""
    error: str
    """"" when both searches worked."""
    hidden: NotRequired[dict[str, str]]
    """Memories that it found and may not show, and why."""
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
    """Calibrated relevance of the text alone, where `relevance` holds more than that."""


class Suggested(TypedDict):
    """The memories that playbooks suggest: columns of one length, best first."""

    memory_ids: list[str]
    scores: list[float]
    """Affinity to the facets, weighed; 0 and more, comparable within one recall only."""
    facet_ids: list[str]
    """The facet that earned most of it; "" where the trace names none."""
    passage_ids: list[str]
    """The passage nearest to that facet."""
    cosines: list[float]
    """Of that passage to the question."""
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
    """factual or preferential; continuity when it is missing."""
    salience: NotRequired[float]
    """0..1; missing: it was never set."""
    cue: NotRequired[str]
    """The request it was stored for that is nearest to the question, where that speaks for it."""
    undertaking: NotRequired[str]
    """The broad cue that it shares with the top memories, where that lifts it."""
    proved_for: NotRequired[str]
    """The question of a session that it helped with and that is nearest to this one."""
    role: NotRequired[str]
    """What kind of help it gives; missing: nothing was noted."""
    outdated_by: NotRequired[str]
    """The newer memory whose annotation says that it replaces it; missing: none does."""
    parts: NotRequired[dict[str, float]]
    """What each retriever added to the score, by name; missing where a plan's facets share the
    slots."""


class HiddenHit(TypedDict):
    """A memory that queries found, and that may not be shown."""

    memory_id: str
    title: str
    reason: str


class Sight(TypedDict):
    """What a recall may see: by it the hidden memories are looked up."""

    trace_id: str
    asked_at: str
    as_of: str
    """ISO 8601; "": today's belief."""
    include_stale: bool
    where: Mapping[str, Any]
    """`Where.values()`; {}: no filter."""


class Learned(TypedDict):
    """What sessions about such questions have taught, as it counts for the recall."""

    factors: dict[str, float]
    """By memory id, on relevance."""
    questions: dict[str, str]
    """{memory id: the nearest question that it helped with}."""
    refused: NotRequired[dict[str, str]]
    """{memory id: the nearest question for which it was voted down}; missing in what was kept
    before 0.3."""


class Vote(TypedDict):
    """One vote on one memory in one round."""

    memory_id: str
    vote: VoteName
    by: str
    """critic, person or agent; or earlier sessions, for what people refused there."""
    round: int
    reason: str
    facet_ids: list[str]
    repeats: str | None
    replaced_by: str | None
    place: NotRequired[int | None]
    """Among its round's votes in favour, from 1 for the best; 0: not in favour; None: the
    voter gave no order."""
    unnamed: NotRequired[bool]
    """Without a plan: the critic read it and said nothing of it; it may fill a slot left empty."""


class Pick(TypedDict):
    """A memory with a slot."""

    memory_id: str
    facet_id: str
    """The facet that gave it the slot."""


class Drop(TypedDict):
    """A candidate left behind at a stage, and against what."""

    memory_id: str
    stage: str
    round: int
    reason: str
    rank: int | None
    score: float | None
    threshold: float | None
    against: str | None
    budget: NotRequired[int | None]
    """Tokens that would hold it, in a recall that fills tokens."""


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
    """What a host gives: the question; everything else has a default."""

    question: str
    k: NotRequired[int | None]
    """Memories to return; default `RecallLimits.k`."""
    tokens: NotRequired[int | None]
    """Instead of k: fill this many tokens with evidence."""
    asked_at: NotRequired[str | datetime | None]
    """ "Now", as a moment or ISO 8601, in UTC without a zone; default the clock."""
    trace_id: NotRequired[str | None]
    as_of: NotRequired[str | datetime | None]
    """What was believed then."""
    include_stale: NotRequired[bool]
    """Superseded, deprecated and expired memories come back, too, marked as such."""
    where: NotRequired[Mapping[str, Any] | None]
    """A filter: `Where.values()`."""
    effort: NotRequired[Effort | None]
    """Default: without a model none; with one low where most memories have cues, else high."""


class RecallState(TypedDict, total=False):
    """Everything a recall knows between two steps; a key is there from the step on that writes it.
    Input and `begin` write most of those that a recall always has."""

    question: str
    k: int
    tokens: int | None
    asked_at: str
    trace_id: str
    deadline_at: float
    """Epoch seconds."""
    kind: QuestionKind
    effort: Effort
    """Missing: as much as there are models for."""
    facets: Annotated[dict[str, Facet], or_]
    queries: Annotated[dict[str, Query], or_]
    rankings: Annotated[dict[str, Ranking], or_]
    candidates: dict[str, Candidate]
    suggested: Suggested
    """Written by `suggest`; missing: no playbook was used."""
    annotated: float
    """Share of the memories that have cues from when they were stored, 0..1; missing: none."""
    proved: bool
    """Whether sessions have written cues; missing: they have not."""
    shortlist: list[str]
    repeats: dict[str, str]
    """{memory id: the other one on the shortlist that says most of it}."""
    votes: Annotated[dict[str, Vote], or_]
    """By "<memory id>|<round>"."""
    content: bool
    """The critic needs no further round."""
    empty_facets: list[str]
    """Searched for, and nothing above the threshold exists."""
    picks: list[Pick]
    """Best answer so far, best first."""
    weakened: dict[str, str]
    """{memory id: the newer memory because of which it counts less}, of that answer."""
    named: dict[str, str]
    """{memory id: the name of the question that its text has, and most others have not}."""
    seen: list[str]
    """Ids of all candidates of earlier rounds."""
    positives: Annotated[dict[str, list[str]], or_]
    """Hot and warm memories by round ("1", "2", …)."""
    drops: Annotated[dict[str, Drop], or_]
    """By "<memory id>|<round>|<stage>"."""
    steps: Annotated[dict[str, Step], or_]
    spent: Annotated[dict[str, float], add_counts]
    degraded: Annotated[dict[str, str], or_]
    round: int
    stop_reason: str
    stop_detail: str
    sparks: Annotated[dict[str, str], or_]
    """{facet that a spark opened: the memory that sparked it}."""
    as_of: str
    """ISO 8601; "": today's belief."""
    include_stale: bool
    where: Mapping[str, Any]
    """`Where.values()`; missing: no filter."""
    preferences: dict[str, float]
    """Those that count for the question: {memory id: similarity of its context, 0..1}."""
    preferences_asked: dict[str, PlanAsk]
    """Of these, by memory id, the ones that the plan asked for and not the question."""
    by_name: ByName
    """Written by `expand`; missing: the plan asked for nothing by name."""
    exposure: dict[str, float]
    """{memory id: 0..1, how lately it was shown for other questions}; missing: freshness is off."""
    learned: Learned
    """Written by the first `retrieve`; missing: no session was about such a question."""
    hidden: list[HiddenHit]
    """What queries found and may not be shown; written by `resolve`."""
    result: dict[str, Any]
    """`RecallResult` as plain values; written by `resolve`."""


class RecallUpdate(RecallState, total=False):
    """What a node may return: some keys of the state, and a note for the trace."""

    note: str
    """The step wrapper takes it out."""


class RecallOutput(TypedDict):
    """What a host gets."""

    result: dict[str, Any]


PLANNED = frozenset({"decompose", "expand"})
"""Origins of a planner's queries."""
