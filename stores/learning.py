"""What resolved sessions have taught about one entity's memory: sums by context, never a vote log.

A context is a cluster of questions that lie near each other: it holds their mean vector and what
helped there. No question's text is kept, and no single vote.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from secondhop.stores.records import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """How often a memory helped in a context, and how often it did not; both fade."""

    good: float = 0.0
    bad: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedHook:
    """Where a memory led that was not the answer: when it sparks, the other one is wanted."""

    spark: str
    leads_to: str
    wins: int = 0
    """Resolved sessions in which what it leads to was accepted."""
    misses: int = 0
    """Sessions since the last win that showed what it leads to, and did not want it."""
    retired: bool = False
    """It has stopped helping; new wins, counted from 0, bring it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """What one context holds. All numbers are as of `at`; readers let them fade."""

    at: datetime
    """When it was last learned from."""
    sessions: float = 0.0
    """Resolved sessions; fades."""
    rounds: float = 0.0
    """The answers that they needed; fades with them."""
    weights: Mapping[str, Weight] = field(default_factory=dict[str, Weight])
    """By memory id."""
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    """{two memories, the smaller id first: how often both were accepted in one session}; fades."""
    hooks: Sequence[LearnedHook] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCentre:
    """Where a cluster of questions lies."""

    context_id: str
    embedder_id: str
    """The model its vector comes from: vectors of two models cannot be compared."""
    vector: Vector
    """float32 [dim], unit length: the mean of its questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedContext(ContextCentre):
    """A cluster of questions, and what was learned in it."""

    lessons: Lessons


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningChange:
    """What one resolved session changes; written as a whole, or not at all."""

    kept: Sequence[LearnedContext] = ()
    """New contexts, and known ones as they are now."""
    dropped: Sequence[str] = ()
    """Ids of contexts that go."""
    rounds: int | None = None
    """Answers of a session to be counted; None: none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningState:
    """Everything that is known, at one moment."""

    on: bool = True
    contexts: Sequence[LearnedContext] = ()
    """By id."""
    rounds: Mapping[int, int] = field(default_factory=dict[int, int])
    """{answers that were needed: resolved sessions}."""


class LearningStore(Protocol):
    """What was learned of one entity. Reading writes nothing."""

    async def read(self) -> LearningState:
        """Everything; nothing at all before the first lesson."""
        ...

    async def in_use(self) -> bool:
        """Whether any context is known, and learning is on; cheap, for every recall asks it."""
        ...

    async def chosen(
        self, choose: Callable[[Sequence[ContextCentre]], Collection[str]]
    ) -> list[LearnedContext]:
        """The contexts that `choose` names by id; the lessons of the others are not even read.

        `choose` may be called in another thread.
        """
        ...

    async def change(self, decide: Callable[[LearningState], LearningChange | None]) -> None:
        """Decide on what is known and write it, in one transaction; None writes nothing.

        `decide` may be called in another thread; nobody writes between what it sees and what is
        written.
        """
        ...

    async def switch(self, *, on: bool) -> None:
        """Whether anything is learned and used from now on."""
        ...

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """Nothing of these memories is left when it returns; unknown ids are no error."""
        ...

    async def clear(self) -> None:
        """Forget everything but whether it is switched on."""
        ...

    async def aclose(self) -> None:
        """Close what is open."""
        ...
