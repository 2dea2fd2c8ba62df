"""What resolved sessions have taught about one entity's memory: sums by context, never a vote log.

A context is a cluster of questions that lie near each other: it holds their mean vector and what
helped there. No question's text is kept, and no single vote.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, TypeAlias, cast

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, TypeAdapter

from secondhop.stores.records import Vector


def with_zone(moment: datetime) -> datetime:
    """Raises ValueError for a moment without a time zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment


def as_weight(stored: object) -> object:
    """Version 0.1 wrote [good, bad]."""
    if isinstance(stored, list):
        good, bad = cast(list[object], stored)
        return {"good": good, "bad": bad}
    return stored


Sum: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A sum of votes: below 0 or without end, it would lift a memory beyond every bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """How often a memory helped in a context, and how often it did not; all of it fades."""

    good: Sum = 0.0
    bad: Sum = 0.0
    refused: Sum = 0.0
    """What persons have said against it: the part of `bad` that keeps it out of answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCue:
    """A memory that was not the answer, and the one it led to: when it sparks, that is wanted."""

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

    at: Annotated[datetime, AfterValidator(with_zone)]
    """When it was last learned from."""
    sessions: Sum = 0.0
    """Resolved sessions; fades."""
    rounds: Sum = 0.0
    """The answers that they needed; fades with them."""
    weights: Mapping[str, Annotated[Weight, BeforeValidator(as_weight)]] = field(
        default_factory=dict[str, Weight]
    )
    """By memory id."""
    cues: Annotated[
        Sequence[SessionCue], Field(validation_alias=AliasChoices("cues", "hooks"))
    ] = ()
    """What sparks have led to; version 0.1 called them hooks."""

    def memory_ids(self) -> set[str]:
        """Every memory that they tell of."""
        return {*self.weights, *(one for cue in self.cues for one in (cue.spark, cue.leads_to))}

    def without(self, memory_ids: Collection[str]) -> "Lessons":
        """The lessons without a word of these memories."""
        weights = {one: weight for one, weight in self.weights.items() if one not in memory_ids}
        gone = {*memory_ids}
        cues = [cue for cue in self.cues if not {cue.spark, cue.leads_to} & gone]
        return replace(self, weights=weights, cues=cues)


DOCUMENT = TypeAdapter(Lessons)
"""Lessons as JSON: what the file holds."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningState:
    """Everything that is known, at one moment."""

    on: bool = True
    contexts: Sequence[LearnedContext] = ()
    """By id."""
