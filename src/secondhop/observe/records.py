"""The inputs and results of `observe`: what was read, and why it was stored or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field

from secondhop.graph.result import ConflictingMemory, Frozen, Spent
from secondhop.stores.keeping import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a conversation."""

    role: str
    """Only what "user" says is about the user."""
    content: str
    at: datetime | None = None
    """When; None: with the message before it, or when `observe` is called."""


Sayable: TypeAlias = Said | Mapping[str, Any]
"""A message, or {"role", "content", "at"?} with `at` a moment or an ISO 8601 text."""


class SourceSpan(Frozen):
    """Where something was said, word by word."""

    message: int
    """Place of the message among those given, from 0."""
    start: int
    end: int
    """`content[start:end] == text`, in characters of that message."""
    text: str


class ReplacedMemory(Frozen):
    """A memory whose place another takes."""

    memory_id: str
    text: str
    """The value of a fact, else its words."""
    created_at: datetime


class Observation(Frozen):
    """One thing that the messages say, and what became of it."""

    memory_id: str
    """The memory that was written or would be. For a duplicate: the memory that says it already."""
    kind: Kind
    text: str
    """As it is stored."""
    subject: str = ""
    """Of a fact."""
    attribute: str = ""
    """Of a fact."""
    value: str = ""
    """Of a fact."""
    scope: str = ""
    """Of a preference: "always", or what a question must be about."""
    topic: str = ""
    """Of a preference."""
    created_at: datetime
    """When it was said."""
    source: SourceSpan
    why: str
    """Why it was added, is a duplicate, or cannot be decided: one sentence."""
    supersedes: list[ReplacedMemory] = Field(default_factory=list[ReplacedMemory])
    """What it takes the place of; that stays in the history."""
    superseded_by: str = ""
    """Id of something newer that is known already: it was written into the past."""
    conflicts_with: list[ConflictingMemory] = Field(default_factory=list[ConflictingMemory])
    """Facts that contradict it. It cannot be decided which is right, so all of them are kept."""


class DroppedReading(Frozen):
    """Something that was read and is not believed."""

    text: str
    why: str


class Observed(Frozen):
    """What `observe` found and did; with `dry_run`, what it would have done."""

    added: list[Observation] = Field(default_factory=list[Observation])
    """Written, in the order they were said; those with `supersedes` took another's place."""
    conflicts: list[Observation] = Field(default_factory=list[Observation])
    """Written as well, beside what contradicts them."""
    duplicates: list[Observation] = Field(default_factory=list[Observation])
    """Known already: not written again."""
    dropped: list[DroppedReading] = Field(default_factory=list[DroppedReading])
    """What a model claimed and the messages do not bear out, and what was forgotten."""
    conversation_id: str = ""
    """Memory id of the conversation itself, if it was asked to be kept."""
    conversation_done: Literal["", "remembered", "unchanged"] = ""
    reader: str
    """Who read the messages: "plain", model and prompt, or both of them where a model failed on
    a part. If there was nothing to read: the reader that would have been used."""
    degraded: list[str] = Field(default_factory=list[str])
    """What did not work and was done without, one sentence each; [] when all went well."""
    spent: Spent = Field(default_factory=Spent)
    dry_run: bool = False
    """Nothing was written."""

    @property
    def written(self) -> list[str]:
        """Ids of the memories that are new."""
        return [one.memory_id for one in (*self.added, *self.conflicts)]
