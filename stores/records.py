"""The records of a store: memories, their passages, and search hits."""

import json
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

    @property
    def speaker(self) -> str:
        """What a reader calls the role: "User", "Assistant", or a name as it is."""
        return {"user": "User", "assistant": "Assistant"}.get(self.role, self.role)


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
    """The file or folder it came from. An ingest deletes missing memories only within one
    origin."""
    kind: Kind = "continuity"
    subject: str = ""
    """For a fact, whom or what it is about; for a preference, its topic, or ""."""
    attribute: str = ""
    """For a fact, what is stated about the subject: "phone number"."""
    value: str = ""
    """For a fact, the value that is stated."""
    scope: str = ""
    """For a preference: "always", or the context that a question must concern."""
    cues: tuple[str, ...] = ()
    """Requests by this person that will need it, 5 to 16 words each, if the host knows them.
    Otherwise a model writes them (`secondhop annotate`)."""
    broad_cues: tuple[str, ...] = ()
    """Common undertakings for which people need such a memory: "prepare for a job interview"."""
    role: str = ""
    """What kind of help it gives, in two to five words: "own plan", "health limit"."""
    replaces: tuple[str, ...] = ()
    """Ids of older memories that this one makes outdated. They come last in an answer."""
    tags: tuple[str, ...] = ()
    """Words to filter by (`Where`). They may change while the text stays."""

    @property
    def text(self) -> str:
        """Its messages, one after another."""
        return "\n\n".join(message.content for message in self.messages)

    @property
    def transcript(self) -> str:
        """Its messages, each after its speaker; of a single message only the text."""
        if len(self.messages) == 1:
            return self.text
        return "\n\n".join(f"{one.speaker}: {one.content}" for one in self.messages)

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything a reader would see, so not of cues and tags. A text with the same
        hash is not stored again."""
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
        # an ordinary memory hashes as before these fields existed, so it is not stored again
        return parts if special == ["continuity", "", "", "", ""] else parts + special


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk of a memory: what is embedded and searched."""

    passage_id: str
    """See `passage_id_of`."""
    memory_id: str
    ordinal: int
    """Position within the memory, from 0."""
    text: str
    tokens: int
    """tiktoken cl100k_base tokens of `text`."""
    heading: str = ""
    """Markdown headings above the passage, "A > B"; "" when there are none."""


def passage_id_of(memory: Memory, ordinal: int, text: str, *, heading: str = "") -> str:
    """`<memory id>:<12 hex digits of a hash of all that is embedded>:<ordinal>`.

    So a passage that stays as it is keeps its id when its memory changes (a chat goes on), and a
    stale vector never matches.
    """
    embedded = json.dumps([memory.title, heading, text])
    digest = sha256(embedded.encode()).hexdigest()
    return f"{memory.memory_id}:{digest[:12]}:{ordinal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierText:
    """The text of a memory before another text was stored under its id."""

    memory: Memory
    """The memory as it was then."""
    replaced_at: datetime
    replaced_by: str
    """Origin of the text that replaced it; "" if that text had none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMemory:
    """A memory with all its passages and vectors, ready to be stored."""

    memory: Memory
    passages: tuple[Passage, ...]
    vectors: Vectors
    """float32 [len(passages), dim], rows of unit length, in the order of `passages`."""
    cue_vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """float32 [n_cues, dim], rows of unit length, in the order of `cues_given(memory)`."""


class PassageHit(NamedTuple):
    """A passage that a search found. (A tuple for speed: a recall makes thousands.)"""

    passage_id: str
    memory_id: str
    score: float
    """Dense: cosine, -1..1. Lexical: BM25 divided by the most this query could reach, 0..1."""


class MemoryCard(NamedTuple):
    """What ranking and results need to know of a memory, without its text. (A tuple for speed: a
    recall makes hundreds.)"""

    memory_id: str
    title: str
    """The first words of the text if it was stored without a title."""
    source: str
    created_at: datetime
    passage_count: int
    kind: Kind = "continuity"
    keeping: Keeping = AS_STORED
    role: str = ""
    """What kind of help it gives; "" if no annotation says so."""
    replaced_by: tuple[str, ...] = ()
    """Ids of newer stored memories whose annotations say that they replace it, newest first."""
    cues: tuple[str, ...] = ()
    """The texts of its specific cues, without those that sessions wrote."""
    undertakings: tuple[str, ...] = ()
    """The texts of its broad cues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The status of everything stored, read in one transaction."""

    keepings: Keepings
    forgotten: Collection[str] = ()
    """Ids of memories whose erasure has begun; some may still be stored."""
    later: Collection[str] = ()
    """Ids of memories written after the requested moment; () if none was requested."""
    preferences: Sequence[Memory] = ()
    """All preferences, oldest first."""
    facts: Sequence[FactName] = ()
    """Subject and attribute of every fact, oldest first."""
    admitted: Mapping[str, bool] | None = None
    """{memory id: whether the filter admits it} for every memory; None without a filter."""


class BriefableMemory(NamedTuple):
    """A valid memory as a briefing ranks it, without its text. (A tuple for speed: one briefing
    looks at hundreds.)"""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    kind: Kind
    slot: str
    """Equal for memories that rule each other out (`rows.slot_of`); "" for continuity."""
    value: str
    """The value of a fact."""
    scope: str
    """The scope of a preference."""
    passage_count: int
    salience: float
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One cluster of the memory map: what a part of the entity's memory is about."""

    label: str
    """Roles and names that are typical of its memories: "own plan, health limit, Columbus"."""
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
    """Outbox notes that wait for repair; 0 in a store at rest."""
    schema_version: int
    embedder: str
    cues: int = 0
    annotated: int = 0
    """Memories with an annotation of their current text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """Whether the files are free of deleted memories."""

    text: bool
    """False if another process is reading: its pages stay until it is done."""
    vectors: bool
    """False if they are on a Chroma server, if another process keeps their database busy, or if the
    entity is big and waits for `compact`."""
