"""The records of a store: memories, their passages, and search hits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.stores.keeping import AS_STORED, FactName, Keeping, Keepings, Kind, Mark

Vector: TypeAlias = npt.NDArray[np.float32]
"""float32 [dim], of unit length."""

Vectors: TypeAlias = npt.NDArray[np.float32]
"""float32 [n, dim], rows of unit length."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; a note or an episode is a single turn of role "user"."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One retrievable thing: a conversation, a note, an episode, a fact, a preference."""

    memory_id: str
    """Unique within its entity, and the same when the same source is read again."""
    title: str
    source: str
    """What kind of document it is: "conversation", "note", "episode", or the caller's own word."""
    created_at: datetime
    """When it was written, with a time zone."""
    messages: tuple[Message, ...]
    origin: str = ""
    """The input it came from (a file or folder); an ingest deletes missing memories only within an
    origin."""
    kind: Kind = "continuity"
    subject: str = ""
    """For a fact, whom or what it is about; for a preference, its topic, or ""."""
    attribute: str = ""
    """Of a fact."""
    value: str = ""
    """Of a fact."""
    scope: str = ""
    """For a preference: "always", or the context that a question must concern."""
    cues: tuple[str, ...] = ()
    """Requests of this person for which it will matter, 5 to 16 words each, if the host knows them;
    otherwise a model writes them (`secondhop annotate`)."""
    broad_cues: tuple[str, ...] = ()
    """Common undertakings for which people need such a memory: "prepare for a job interview"."""
    role: str = ""
    """What kind of help it gives, in two to five words: "own plan", "health limit"."""
    replaces: tuple[str, ...] = ()
    """Ids of older memories that this one makes outdated: they come last in an answer."""
    tags: tuple[str, ...] = ()
    """Words to filter by (`Where`); they may change while the text stays."""

    @property
    def text(self) -> str:
        """Its messages, one after another."""
        return "\n\n".join(message.content for message in self.messages)

    @property
    def content_hash(self) -> str:
        """Hash of everything a reader would see, without cues and tags. A text with the same hash
        is not stored again."""
        digest = sha256()
        for part in self._content_parts():
            digest.update(str(len(part)).encode())
            digest.update(b":")
            digest.update(part.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _content_parts(self) -> list[str]:
        parts = [self.title, self.source, self.created_at.isoformat()]
        for message in self.messages:
            parts += [message.role, message.content]
        special = [self.kind, self.subject, self.attribute, self.value, self.scope]
        # an ordinary memory keeps the hash, and with it the passage ids, that it always had
        return parts if special == ["continuity", "", "", "", ""] else parts + special


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk of a memory: what is embedded and searched."""

    passage_id: str
    """`passage_id_of(memory, ordinal)`: other content, other id, so no stale vector matches."""
    memory_id: str
    ordinal: int
    """Position within the memory, from 0."""
    text: str
    tokens: int
    """tiktoken cl100k_base tokens of `text`."""
    heading: str = ""
    """Markdown headings above the passage, "A > B"; "" when there are none."""


def passage_id_of(memory: Memory, ordinal: int) -> str:
    """`<memory id>:<12 hex digits of the content hash>:<ordinal>`."""
    return f"{memory.memory_id}:{memory.content_hash[:12]}:{ordinal}"


def opening_id(passage_id: str) -> str:
    """The first passage of the memory that this one is of.

    >>> opening_id("m:0f3a:4")
    'm:0f3a:0'
    """
    return passage_id.rpartition(":")[0] + ":0"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierText:
    """What a memory said before another text was put under its id."""

    memory: Memory
    """As it was."""
    replaced_at: datetime
    replaced_by: str
    """Origin of the text that took its place; "" where that one had none."""
    passages: tuple[Passage, ...] = ()
    """As they were embedded; () where it came with an import: it never was, here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMemory:
    """A memory ready to be stored: nothing of it is missing."""

    memory: Memory
    passages: tuple[Passage, ...]
    vectors: Vectors
    """float32 [len(passages), dim], rows of unit length, in the order of `passages`."""
    cue_vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """float32 [n_cues, dim], rows of unit length, in the order of `cues_given(memory)`."""


class PassageHit(NamedTuple):
    """A passage that a search found. (A tuple: a recall makes thousands.)"""

    passage_id: str
    memory_id: str
    score: float
    """Dense: cosine, -1..1. Lexical: BM25 over the most this query could reach, 0..1."""


class MemoryCard(NamedTuple):
    """What ranking and results need of a memory, without its text. (A tuple: a recall makes
    hundreds.)"""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    passage_count: int
    kind: Kind = "continuity"
    keeping: Keeping = AS_STORED
    role: str = ""
    """What kind of help it gives; "" where nothing says so."""
    replaced_by: tuple[str, ...] = ()
    """Newer stored memories whose annotations say that they replace it, the newest first."""
    cues: int = 0
    """How many it was stored with."""
    undertakings: tuple[str, ...] = ()
    """The words of the broad ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How everything that is stored stands, read at once."""

    keepings: Keepings
    later: Collection[str] = ()
    """Ids of what was written after the moment that was asked for."""
    preferences: Sequence[Memory] = ()
    """All of them, the oldest first."""
    facts: Sequence[FactName] = ()
    """What the stored facts are of, the oldest first."""
    admitted: Mapping[str, bool] | None = None
    """{memory id: whether the filter admits it} of everything; None without a filter."""


class BriefableMemory(NamedTuple):
    """A memory that holds, as the start of a session ranks it: without its text. (A tuple: one
    start looks at hundreds.)"""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    kind: Kind
    slot: str
    """What memories that rule each other out share; "" for continuity."""
    value: str
    """Of a fact."""
    scope: str
    """Of a preference."""
    passage_count: int
    salience: float
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One cluster of the memory map: what a part of the entity's memory is about."""

    label: str
    """What it helps with, and names that come there: "own plan, health limit, Columbus"."""
    size: int
    """Memories in the cluster."""
    titles: Sequence[str]
    """A few titles from the middle of the cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCounts:
    """What a store holds for one entity."""

    memories: int
    passages: int
    tokens: int
    vectors: int
    pending: int
    """Outbox rows that wait for repair; 0 in a store at rest."""
    schema_version: int
    embedder: str
    cues: int = 0
    annotated: int = 0
    """Memories with an annotation of their present text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """Whether no file holds anything any more of memories that were deleted."""

    text: bool
    """False: another process was reading, and its pages stay until it is done."""
    vectors: bool
    """False: they are on a server, or another process kept the database of vectors busy."""
