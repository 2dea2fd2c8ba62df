"""What readers of conversations read, and what they find."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from secondhop.models.llm import Usage
from secondhop.observe.records import DroppedReading
from secondhop.stores.keeping import ALWAYS, Kind

SPEAKER = "user"
"""The role whose words state facts; the assistant's are read only to understand them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message."""

    role: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of one message."""

    message: int
    """Index of the turn, from 0."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One thing that a message says, and the words that say it."""

    kind: Kind
    span: Span
    text: str = ""
    """The words to keep, for a preference or continuity."""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    scope: str = ALWAYS
    topic: str = ""
    change: str = ""
    """Words of the message that mark a change or a correction ("is now", "sorry"), or ""."""
    sure: bool = True
    """False if the person is not sure of it."""
    ended: bool = False
    """The words say that this fact no longer holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What a conversation says, in the order in which it is said."""

    found: Sequence[Reading]
    dropped: Sequence[DroppedReading] = ()
    """Claims of the reader that were not accepted, with the reasons."""
    usage: Usage = field(default_factory=Usage)


def in_order(readings: Iterable[Reading]) -> list[Reading]:
    """The readings in the order of their words."""
    return sorted(readings, key=lambda one: (one.span.message, one.span.start))
