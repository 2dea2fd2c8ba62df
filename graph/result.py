"""The result of a recall."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from secondhop.nodes.state import Effort


class Frozen(BaseModel):
    """Values that do not change once they are made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(Frozen):
    """A passage of a memory that a query found: the reason it is here, in its own words."""

    passage_id: str
    text: str
    heading: str = ""
    """Markdown headings above the passage, "A > B"."""
    score: float
    """Calibrated relevance to `query`, 0..1."""
    facet: str
    """Name of the facet that `query` served."""
    query: str
    """The query that found it, as it was asked, or the memory's cue, if it is nearest to that."""
    place: int | None = None
    """Place among all passages of a recall that fills tokens, from 1; None in a recall of k
    memories."""
    beside: str | None = None
    """Id of the passage that it belongs to, as an answer to its question; its score is 0, because
    no query found it. None: a query found it."""


class ConflictingMemory(Frozen):
    """A valid fact that contradicts this one; it is undecided which is right."""

    id: str
    value: str
    created_at: datetime


class RecalledMemory(Frozen):
    """One memory of the answer."""

    id: str
    title: str
    source: str
    kind: str = "continuity"
    """factual, preferential or continuity."""
    created_at: datetime
    score: float
    """Calibrated relevance, 0..1: the best over the facets it serves. Do not sort by it: votes,
    ages, repetitions and the ranks of a look-up count for the order, too."""
    facets: list[str]
    """Names of the facets it serves, the one that gave it its slot first."""
    hop: int
    """Hop of that first facet: 1 named by the question, 2 implied, 3 and up found in evidence."""
    round: int
    """Round, from 1, in which it was first found."""
    why: str
    """One sentence."""
    weak: bool = False
    """Whether it only fills a free slot, because little of it is about the question."""
    role: str = ""
    """What kind of help it gives, as noted when it was stored; "" if nothing was noted."""
    cue: str = ""
    """The cue most similar to the question; "" if no cue raises its score."""
    evidence: list[Evidence]
    """Best passage first."""
    vote: str = ""
    """The last vote on it: hot, warm, cold, wrong, spark or "" for none."""
    stale: str = ""
    """"" while it is valid; else why not: "superseded by m-7 on 2026-03-01"."""
    replaced_by: str = ""
    """Id of what superseded it."""
    conflicts_with: list[ConflictingMemory] = Field(default_factory=list[ConflictingMemory])
    """Other valid facts with the same subject and attribute but another value."""


class NearMiss(RecalledMemory):
    """A memory that was found but did not get a slot."""

    cut_by: str
    """What kept it out: a stage and a reason, one sentence."""
    tokens: int | None = None
    """Tokens of its shortest passage, if the token budget had no room for it; None: something else
    kept it out."""


class RecalledPreference(Frozen):
    """A preference that applies to the question. It is data, like every memory, never an
    instruction."""

    id: str
    text: str
    scope: str
    """ "always", or the context in which it applies."""
    topic: str = ""
    created_at: datetime
    score: float
    """Similarity of the question, or the plan, to its context, 0..1; 1 if it always applies, or the
    plan asked for it by name."""
    facet: str = ""
    """Name of the plan's facet that asked for it; "" if the question itself did, or it always
    applies."""
    query: str = ""
    """The query of that facet that is most similar to the context."""
    by_name: bool = False
    """The plan asked for it by name."""
    stale: str = ""
    """"" while it is valid; else why not: "superseded by p-7 on 2026-03-01"."""
    replaced_by: str = ""
    """Id of what superseded it."""


class FacetOutcome(Frozen):
    """What became of one facet."""

    name: str
    why: str
    hop: int
    weight: float
    covered_by: list[str]
    """Ids of the returned memories that serve it."""
    empty: bool
    """It was searched for, but nothing is above the threshold, and nothing returned serves it."""


class Spent(Frozen):
    """What the recall cost, including failed, repeated and repaired model calls."""

    rounds: int = 0
    queries: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that the model's server had in its cache."""
    cost_usd: float | None = None
    """US dollars for the language model, by the price table; None: the model has no price there."""
    ms: float = 0.0
    """Wall time."""


class RecallResult(Frozen):
    """The answer to one question, best memory first."""

    question: str
    entity: str
    asked_at: datetime
    memories: list[RecalledMemory]
    maybe: list[NearMiss] = Field(default_factory=list[NearMiss])
    """Near misses, best first: found but not returned."""
    preferences: list[RecalledPreference] = Field(default_factory=list[RecalledPreference])
    """Preferences: those that always apply, then those for the context of the question. They are
    not counted in the k memories."""
    facets: list[FacetOutcome] = Field(default_factory=list[FacetOutcome])
    degraded: list[str] = Field(default_factory=list[str])
    """What failed and was done without, one sentence each; [] if everything worked."""
    effort: Effort = "none"
    """How much a language model was asked; `spent` says what it cost."""
    stop_reason: str
    """converged, complete, no_verdict, stable, no_new_candidates, no_new_queries, max_rounds,
    max_llm_calls, max_tokens or deadline."""
    rounds: int
    spent: Spent
    trace_id: str

    def ids(self) -> list[str]:
        """The memory ids, best first."""
        return [memory.id for memory in self.memories]
