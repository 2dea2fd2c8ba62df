"""Reports of what was learned: plain values for callers and commands."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from secondhop.graph.result import Frozen

CueStatus = Literal["waiting", "promoted", "silent", "retired"]


class LearnedMemory(Frozen):
    """What a context says of one memory, faded to now."""

    memory_id: str
    title: str
    """ "" when it is no longer stored."""
    good: float
    """How often it helped: 1 a hot vote, 0.5 a warm one."""
    bad: float
    """How often it did not: 1 a wrong vote, 0.5 a cold one."""
    factor: float
    """On its relevance, for a question in the middle of the context."""
    refused: bool = False
    """Persons have voted it out: such questions do not get it."""


class LearnedCue(Frozen):
    """A memory that was not the answer, and what it led to."""

    context_id: str
    spark: str
    spark_title: str
    leads_to: str
    leads_to_title: str
    wins: int
    """Sessions in which the spark led to it and it was accepted."""
    misses: int
    """Sessions on end that showed it and did not want it."""
    status: CueStatus
    """Only a promoted one opens a facet in recalls; a silent one did, and its context has not been
    learned from for long."""
    learned_at: datetime


class ContextReport(Frozen):
    """One kind of question, known by what helped with it: its words are not kept."""

    context_id: str
    learned_at: datetime
    sessions: float
    """Resolved sessions, faded to now."""
    mean_rounds: float
    """Answers that they needed, on average."""
    memories: list[LearnedMemory]
    """Those that helped most first."""
    cues: list[LearnedCue] = Field(default_factory=list[LearnedCue])

    def about(self) -> list[str]:
        """Titles of what helped most, at most three."""
        return [one.title or one.memory_id for one in self.memories if one.good > one.bad][:3]


class RoundCounts(Frozen):
    """How many answers resolved sessions needed: where it is many, ranking needs tuning."""

    sessions: float
    """Resolved sessions that taught something, faded to now."""
    mean_rounds: float
    verdict: str
    """One sentence."""
    needs_tuning: list[ContextReport] = Field(default_factory=list[ContextReport])
    """Contexts whose sessions need many answers, the worst first."""


class LearningReport(Frozen):
    """All that was learned for an entity."""

    on: bool
    embedder: str
    contexts: list[ContextReport]
    """The most sessions first; of the embedding model in use."""
    other_models: int
    """Contexts learned with another embedding model: they count for nothing here."""
    rounds: RoundCounts


class Unlearned(Frozen):
    """What was forgotten."""

    contexts: int
    memories: int
    """Memories that something was known of."""
    dry_run: bool = False
