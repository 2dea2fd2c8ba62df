"""The interface of conversation readers: what they are given, and what they return."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining
from secondhop.observe.records import DroppedReading
from secondhop.stores.keeping import ALWAYS, Kind

SPEAKER = "user"
"""Whose words state facts; other roles are read only to understand them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message."""

    role: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownThing:
    """A fact or a preference that holds, so that a reader names the same thing the same way."""

    kind: Kind
    subject: str
    """Of a preference: its topic."""
    attribute: str = ""
    text: str
    """The value of a fact; the words of a preference."""
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveRequest:
    """A conversation to read."""

    turns: Sequence[Turn]
    known: Sequence[KnownThing]
    """What is known and may be meant, the nearest first."""
    remaining: Remaining


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of one message."""

    message: int
    """Place among the turns, from 0."""
    start: int
    end: int


ReadingKind: TypeAlias = Literal["factual", "preferential", "continuity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One thing that a message says, and the words that say it."""

    kind: ReadingKind
    span: Span
    text: str = ""
    """Of a preference and of continuity: the words to keep."""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    scope: str = ALWAYS
    topic: str = ""
    change: str = ""
    """Words of the message that say it is new, or a correction: "is now", "sorry"; "" for none."""
    sure: bool = True
    """False where the person is not sure of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What a conversation says, in the order it is said."""

    found: Sequence[Reading]
    dropped: Sequence[DroppedReading] = ()
    """What a reader claimed, and why it is not believed."""
    usage: Usage = field(default_factory=Usage)
