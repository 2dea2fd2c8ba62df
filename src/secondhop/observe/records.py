"""The inputs and results of `observe`: what was read, and why it was stored or not stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import Field

from secondhop.graph.result import ConflictingMemory, Frozen, Spent
from secondhop.stores.keeping import Kind

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a conversation."""

    role: str
    """Memories come only from messages of the role "user"."""
    content: str
    at: datetime | None = None
    """When it was said; None: at the time of the message before it, or of the call."""


Sayable: TypeAlias = "Said | Mapping[str, Any] | BaseMessage"
"""A message; {"role", "content", "at"?} where `at` is a datetime or an ISO 8601 text; or a message
of LangChain."""


class SourceSpan(Frozen):
    """Where something was said, and in which words."""

    message: int
    """Index of the message among those given, from 0."""
    start: int
    end: int
    """`content[start:end] == text`, in characters of that message."""
    text: str


class ReplacedMemory(Frozen):
    """A memory that another one supersedes."""

    memory_id: str
    text: str
    """The value of a fact, else the memory's text."""
    created_at: datetime


class Observation(Frozen):
    """One thing that the messages say, and what became of it."""

    memory_id: str
    """The memory that was or would be written; for a duplicate, the one that already says it."""
    kind: Kind
    text: str
    """The text as stored."""
    subject: str = ""
    """Facts only."""
    attribute: str = ""
    """Facts only."""
    value: str = ""
    """Facts only."""
    scope: str = ""
    """Preferences only: "always", or what a question must be about."""
    topic: str = ""
    """Preferences only."""
    created_at: datetime
    """When it was said."""
    source: SourceSpan
    why: str
    """One sentence: why it was added, is a duplicate, or is undecided."""
    supersedes: list[ReplacedMemory] = Field(default_factory=list[ReplacedMemory])
    """The memories that it supersedes; they stay in the history."""
    superseded_by: str = ""
    """Id of a newer memory that was known already; this one was written as superseded."""
    conflicts_with: list[ConflictingMemory] = Field(default_factory=list[ConflictingMemory])
    """Facts that contradict it. It cannot be decided which is right, so all of them are kept."""


class DroppedReading(Frozen):
    """Something that was read but not accepted."""

    text: str
    why: str


class Observed(Frozen):
    """What `observe` found and did; with `dry_run`, what it would have done."""

    added: list[Observation] = Field(default_factory=list[Observation])
    """Written, in the order in which they were said; some supersede others (`supersedes`)."""
    conflicts: list[Observation] = Field(default_factory=list[Observation])
    """Also written, beside memories that contradict them."""
    duplicates: list[Observation] = Field(default_factory=list[Observation])
    """Already known, so not written again."""
    ended: list[Observation] = Field(default_factory=list[Observation])
    """Known facts of which the messages say that they no longer hold; they stay in the history."""
    dropped: list[DroppedReading] = Field(default_factory=list[DroppedReading])
    """What a model claimed but the messages do not support, and what was forgotten before."""
    conversation_id: str = ""
    """Memory id of the conversation itself, if the caller asked to keep it."""
    conversation_done: Literal["", "remembered", "unchanged"] = ""
    reader: str
    """What read the messages: "plain", model and prompt, or both if a model failed on a part. If
    there was nothing to read: the reader that would have been used."""
    degraded: list[str] = Field(default_factory=list[str])
    """What failed and was done without, one sentence each; [] if everything worked."""
    spent: Spent = Field(default_factory=Spent)
    dry_run: bool = False
    """Whether nothing was written."""

    @property
    def written(self) -> list[str]:
        """Ids of the new memories."""
        return [one.memory_id for one in (*self.added, *self.conflicts)]
