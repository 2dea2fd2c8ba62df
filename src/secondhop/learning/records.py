"""What was learned from sessions, as plain values for callers and commands."""

from datetime import datetime

from secondhop.graph.result import Frozen


class LearnedMemory(Frozen):
    """What sessions have said of one memory, asked one question."""

    memory_id: str
    title: str
    cue_id: str
    """`recall.memories.cues.remove` takes it back."""
    votes: float
    """1 a hot vote, 0.5 a warm one, less 0.5 a cold one and 1 a wrong one; as they count now."""
    refused: bool
    """People have voted it out: such questions do not get it."""


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
