"""The inputs of `remember`, and the results of its methods."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

from pydantic import Field

from secondhop.graph.result import Frozen
from secondhop.stores.cues import Breadth, Cue, CueOrigin
from secondhop.stores.keeping import ALWAYS, Act, Kind, Mark, fact_in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A value that a newer one replaces: (me, employer, Acme)."""

    subject: str
    attribute: str
    value: str

    @property
    def text(self) -> str:
        """As a sentence to embed and to read."""
        return f"{fact_in_words(self.subject, self.attribute)} is {self.value}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """How to behave: always, or when a question concerns a context."""

    text: str
    scope: str = ALWAYS
    """ "always", or the context that a question must concern."""
    topic: str = ""
    """Its topic; a newer one with the same scope and topic replaces it. "": nothing does."""


class Kept(Frozen):
    """What was done to one memory."""

    memory_id: str
    done: Act | Literal["unchanged"]
    """superseded, by `remember`: stored, but a value with a later date is the current one."""
    supersedes: list[str] = Field(default_factory=list[str])
    """Ids of the memories that it replaces."""
    superseded_by: str = ""
    notice: str = ""
    """A warning, for example that it had expired already, or replaces another fact."""
    dry_run: bool = False
    """Nothing was written: this is what would have been done."""


class Forgotten(Frozen):
    """What was deleted with a memory."""

    memory_ids: list[str]
    passages: int
    traces: int
    """Traces that named it."""
    complete: bool
    """False: another process was reading, and files may hold the text until the entity is next
    opened."""
    vectors_complete: bool = True
    """False: the files of the vector database may still hold vectors of it, because the entity is
    big, or another process kept the files busy: `doctor --fix` removes them. Or they are on a
    server."""
    still_in: list[str] = Field(default_factory=list[str])
    """Files and folders that it was ingested from and that are still there. Ingesting one again
    brings it back, unless it is deleted there, too."""
    repeated_in: list[str] = Field(default_factory=list[str])
    """Ids of other memories that seem to say the same, such as the conversation that a fact was
    stated in. They stay until they are forgotten, too."""
    dry_run: bool = False


class Accepted(Frozen):
    """What was counted for one recall."""

    trace_id: str
    retrieved: int
    shown: int
    accepted: list[str]
    counted: int
    """Counters that grew; 0 if everything had been counted before."""
    dry_run: bool = False


class StoredCue(Frozen):
    """A request for which a memory matters."""

    cue_id: str
    memory_id: str
    text: str
    breadth: Breadth
    origin: CueOrigin
    prompt: str = ""
    """Version of the prompt that it was written with; "" if no model wrote it."""
    model: str = ""
    written_at: datetime | None
    proved: float = 0.0
    """For a session's cue: votes for the memory on this question minus votes against it."""
    dry_run: bool = False
    """Nothing was written: this is what would have been."""

    @classmethod
    def of(cls, cue: Cue) -> Self:
        """A cue of the store."""
        return cls.model_validate(cue, from_attributes=True)


class MemoryCues(Frozen):
    """The cues of a memory."""

    memory_id: str
    title: str
    role: str
    """What kind of help it gives; "" if unknown."""
    replaces: list[str]
    """Older memories that it replaces, by its annotation."""
    replaced_by: str
    """The newest memory whose annotation says that it replaces this one; "" for none."""
    annotated: bool
    """Whether a model or the host has annotated its current text."""
    cues: list[StoredCue]


class PastEvent(Frozen):
    """One line of a history."""

    memory_id: str
    at: datetime
    act: Act | Literal["written", "replaced"]
    """replaced: another text was put under its id; `detail` names the input that brought it."""
    other_id: str = ""
    detail: str = ""


class MemoryHistory(Frozen):
    """A memory with all that it superseded, all that superseded it, and its earlier texts."""

    memory_id: str
    versions: list["Version"]
    """Oldest first; the earlier texts of a memory come right before its current one."""
    events: list[PastEvent]
    """Events of all versions, the earliest first."""
    cues: list[StoredCue] = Field(default_factory=list[StoredCue])
    """The cues of the versions; see docs/cues.md."""


class Version(Frozen):
    """One memory of a chain in which each superseded the one before; or an earlier text of one."""

    memory_id: str
    kind: Kind
    title: str
    text: str
    """With the speakers, if it has several messages."""
    created_at: datetime
    valid_until: datetime | None
    salience: float
    mark: Mark = ""
    """How a briefing treats it: "core", "open" or ""."""
    tags: tuple[str, ...] = ()
    end: str
    """"" while it is valid; else why not: "superseded by m-7 on 2026-03-01"."""
    end_at: datetime | None
    replaced_at: datetime | None = None
    """For an earlier text: when another text replaced it under its id. None for the current
    text."""
    replaced_by: str = ""
    """For an earlier text: the file or folder whose ingest replaced it; "" if a program did (`add`,
    `observe`)."""


class StoredFact(Frozen):
    """A fact that is or was true."""

    memory_id: str
    subject: str
    attribute: str
    value: str
    since: datetime
