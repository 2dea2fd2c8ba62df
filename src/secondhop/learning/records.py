"""What was learned from sessions, as plain values for callers and commands."""

from datetime import datetime

from secondhop.graph.result import Frozen


class LearnedMemory(Frozen):
    """What sessions have said about one memory for one question."""

    memory_id: str
    title: str
    cue_id: str
    """`recall.memories.cues.remove` removes it."""
    votes: float
    """The sum of the votes as they count now: hot 1, warm 0.5, cold -0.5, wrong -1."""
    refused: bool
    """People have voted it out: answers to such questions leave it out."""


class LearnedQuestion(Frozen):
    """A question of resolved sessions, and what helped with it."""

    question: str
    learned_at: datetime
    memories: list[LearnedMemory]
    """Those that helped most first."""


class LearningReport(Frozen):
    """All that was learned for an entity."""

    on: bool
    questions: list[LearnedQuestion]
    """The newest first."""
