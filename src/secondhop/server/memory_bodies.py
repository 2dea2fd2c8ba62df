"""Bodies of memories and conversations to store, and the answers that `Recall` does not return."""

from dataclasses import fields
from datetime import datetime
from typing import Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from secondhop.clean_text import is_blank
from secondhop.memories.building import Rememberable, new_id_of, rememberable
from secondhop.memories.records import Version
from secondhop.moments import with_zone
from secondhop.observe.records import Said
from secondhop.server.bodies import Body, Flag, MemoryId, Moment, Share, example
from secondhop.stores.keeping import Kind
from secondhop.stores.records import Memory, Message
from secondhop.stores.titles import first_words

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]


class RememberBody(Body):
    """One memory: plain text, a fact (subject, attribute; text is the value), or a preference."""

    model_config = ConfigDict(
        json_schema_extra=example(text="Acme", subject="me", attribute="employer")
    )

    text: str = Field(min_length=1)
    title: str = ""
    subject: str | None = None
    attribute: str | None = None
    scope: str | None = Field(None, description='"always", or what a question must be about.')
    topic: str = ""
    at: Moment | None = Field(None, description="When it was written; default now.")
    valid_until: Moment | None = None
    salience: Share | None = None
    mark: Literal["", "core", "open"] = ""
    tags: list[str] = Field(default_factory=list[str], description="To filter by.")
    supersedes: list[MemoryId] = Field(default_factory=list[str])
    memory_id: MemoryId | None = None
    dry_run: Flag = False

    def what(self) -> Rememberable:
        """The plain text, fact or preference that the fields describe.

        Raises:
            UsageError: half of a fact, a fact and a preference at once, or a topic without a scope.
        """
        return rememberable(
            self.text,
            subject=self.subject,
            attribute=self.attribute,
            scope=self.scope,
            topic=self.topic,
        )


class MessageBody(Body):
    """One message of a memory or of a conversation."""

    role: Role = Field("user", description="Only what the user says is about the user.")
    content: str
    at: Moment | None = Field(
        None, description="When it was said; give it, so that the same words are known again."
    )

    def said(self) -> Said:
        """The message as `observe` takes it."""
        return Said(role=self.role, content=self.content, at=self.at)


class MemoryBody(Body):
    """A memory that the caller built, as `secondhop.Memory`; its `text` alone will do."""

    memory_id: MemoryId | None = Field(None, description="Default a new one.")
    title: str = Field("", description="Default the first words of `text`.")
    source: str = "note"
    created_at: Moment | None = Field(
        None, description="When it was written; default the last `at` of its messages, else now."
    )
    text: str | None = Field(None, description="Instead of `messages`: what the user wrote.")
    messages: list[MessageBody] | None = Field(None, min_length=1)
    kind: Kind = "continuity"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    scope: str = ""
    cues: list[str] = Field(
        default_factory=list[str], description="Requests for which it will matter."
    )
    broad_cues: list[str] = Field(default_factory=list[str])
    role: str = Field("", description="What kind of help it gives, in a few words.")
    replaces: list[MemoryId] = Field(
        default_factory=list[str], description="Ids of older memories that are outdated since."
    )
    tags: list[str] = Field(default_factory=list[str], description="To filter by.")

    @model_validator(mode="after")
    def checked(self) -> Self:
        """Refuse a body that `check_form` refuses."""
        self.check_form()
        return self

    def check_form(self) -> None:
        """Raises ValueError unless it has either a text or messages."""
        if (self.text is None) == (self.messages is None):
            raise ValueError("a memory needs a text, or messages instead of it")
        if self.text is not None and is_blank(self.text):
            raise ValueError("there is nothing to store: the text is empty")

    def memory(self, *, now: datetime) -> Memory:
        """The memory as the library takes it; a time without a zone is in UTC."""
        given = self.model_dump(include={one.name for one in fields(Memory)})
        given |= {name: tuple(given[name]) for name in ("cues", "broad_cues", "replaces", "tags")}
        text = self.text or ""
        said = [Message("user", text)] if text else []
        said += [Message(one.role, one.content) for one in self.messages or ()]
        dates = [with_zone(one.at) for one in self.messages or () if one.at is not None]
        given |= {
            "memory_id": self.memory_id or new_id_of(text),
            "title": self.title or first_words(text),
            "created_at": with_zone(self.created_at or max(dates, default=now)),
            "messages": tuple(said),
        }
        return Memory(**given)


class MemoriesBody(MemoryBody):
    """A memory to store, or several in `memories`.

    If an id is already stored, the new text replaces the old one. Without ids, what is sent twice
    is stored twice.
    """

    model_config = ConfigDict(
        json_schema_extra=example(
            memories=[
                {
                    "memory_id": "note-1",
                    "title": "Garden",
                    "created_at": "2026-03-01T12:00:00Z",
                    "messages": [{"role": "user", "content": "The tomatoes need water."}],
                }
            ]
        )
    )

    memories: list[MemoryBody] | None = Field(None, min_length=1, max_length=1000)

    def check_form(self) -> None:
        """Raises ValueError unless it is one memory, or nothing but `memories`."""
        if self.memories is None:
            super().check_form()
        elif self.model_fields_set != {"memories"}:
            raise ValueError("send one memory, or several in `memories`, not both")

    def each(self, *, now: datetime) -> list[Memory]:
        """The memories in their order; those without any date are from `now`."""
        own: list[MemoryBody] = [self] if self.memories is None else self.memories
        return [one.memory(now=now) for one in own]


class UpdateBody(Body):
    """A new text, expiry, salience or mark for a memory; fields that are left out do not change."""

    model_config = ConfigDict(json_schema_extra=example(text="Acme Ltd"))

    text: str | None = Field(None, min_length=1)
    at: Moment | None = None
    valid_until: Moment | Literal[""] | None = Field(None, description='"" removes it.')
    salience: Share | None = None
    mark: Literal["", "core", "open"] | None = Field(None, description='"" removes it.')
    dry_run: Flag = False


class SupersedeBody(Body):
    """The stored memory that replaces this one."""

    model_config = ConfigDict(json_schema_extra=example(by="plan-2", reason="the plan changed"))

    by: MemoryId
    reason: str = Field("", max_length=2000)
    dry_run: Flag = False


class ReasonBody(Body):
    """Why a memory no longer holds."""

    model_config = ConfigDict(json_schema_extra=example(reason="the project was cancelled"))

    reason: str = Field(min_length=1, max_length=2000)
    dry_run: Flag = False


class CueBody(Body):
    """A request for which a memory matters."""

    model_config = ConfigDict(json_schema_extra=example(text="what may I bake for Ana?"))

    text: str = Field(min_length=1, max_length=500, description="As the person would ask.")
    broad: Flag = Field(False, description='A usual undertaking, like "plan a dinner".')
    dry_run: Flag = False


class ObserveBody(Body):
    """A conversation to read facts and preferences from."""

    model_config = ConfigDict(
        json_schema_extra=example(messages=[{"role": "user", "content": "I work at Acme now."}])
    )

    messages: list[MessageBody] = Field(min_length=1, max_length=2000)
    at: Moment | None = None
    keep_as: str = Field("", max_length=500, description="Keep the conversation under this id.")
    title: str = ""
    dry_run: Flag = False


class MemoryPage(BaseModel):
    """Memories in the order of their ids."""

    memories: list[Version]
    next: str = Field(description='Give it as `after` for the next page; "" after the last.')


class EntityStats(BaseModel):
    """What is stored for an entity."""

    entity: str
    memories: int
    passages: int
    tokens: int
    embedder: str


class Ledger(BaseModel):
    """What was read, and what became of it: `secondhop.IngestLedger`."""

    model_config = ConfigDict(extra="allow")

    read: int
    stored: int
    unchanged: int
    deleted: int
    skipped: list[dict[str, str]]
    notices: list[dict[str, str]]
    passages: int


class Added(Ledger):
    """What became of memories that were sent, and their ids."""

    memory_ids: list[str | None] = Field(
        description="As they are stored, in the order of the body; null for what was skipped."
    )
