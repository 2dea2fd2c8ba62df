"""Bodies of requests, and the answers that are not what `Recall` returns."""

import re
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from secondhop.memories.building import Rememberable, new_id_of, rememberable
from secondhop.memories.records import Version
from secondhop.moments import with_zone
from secondhop.nodes.state import Effort
from secondhop.observe.records import Said
from secondhop.ranking.votes import VoteName
from secondhop.stores.keeping import Kind
from secondhop.stores.records import Memory, Message
from secondhop.stores.titles import first_words
from secondhop.stores.where import Where

MemoryId: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]
Vote: TypeAlias = Literal[VoteName, ""]
Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
Example: TypeAlias = dict[str, Any]
Flag: TypeAlias = Annotated[bool, Strict()]
Share: TypeAlias = Annotated[float, Strict(), Field(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Strict(), Field(ge=1)]


def no_number(given: object) -> object:
    """Raise ValueError unless it looks like ISO 8601: pydantic would read 2026 as seconds."""
    text = given.isoformat() if isinstance(given, datetime) else given
    if not isinstance(text, str) or not re.match(r"\d{4}-", text):
        raise ValueError("a moment is an ISO 8601 text, like 2026-03-01T12:00:00Z")
    return given


Moment: TypeAlias = Annotated[datetime, BeforeValidator(no_number, json_schema_input_type=datetime)]


def example(**values: Any) -> Example:
    """An example of a body for the OpenAPI description."""
    return {"example": values}


class Body(BaseModel):
    """A request body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(Body):
    """The fields that a recall and a session share."""

    question: str = Field(min_length=1, description="As the person asked it.")
    k: Count | None = Field(None, description="Memories to return; default 6, in a session 5.")
    at: Moment | None = Field(None, description='The time that counts as "now".')
    as_of: Moment | None = Field(None, description="What was believed then.")
    include_stale: Flag = Field(False, description="Also what does not hold any more, marked.")
    where: Annotated[Where | None, BeforeValidator(Where.of)] = Field(
        None, description="A filter: every field that is given, by any of its values."
    )
    effort: Effort | None = Field(
        None,
        description="What a language model may be asked; default the cheapest that serves, in a "
        "session high.",
    )
    earlier: list[str] = Field(
        default_factory=list[str],
        description="What the person asked before in this conversation, oldest first; it completes "
        'a follow-up such as "And the other one?".',
    )


class RecallBody(Asked):
    """A question: the arguments of `Recall.arecall`."""

    model_config = ConfigDict(
        json_schema_extra=example(question="Help me prepare for my interview", k=6)
    )

    tokens: Count | None = Field(None, description="Instead of k: fill so many tokens.")


class SessionBody(Asked):
    """A recall that stays open for votes."""

    model_config = ConfigDict(json_schema_extra=example(question="Plan my week", k=5))

    max_rounds: Count | None = Field(None, description="Answers; default 4.")
    ttl_s: Annotated[float, Strict()] | None = Field(
        None, gt=0, allow_inf_nan=False, description="Seconds without a vote until it expires."
    )


class VotesBody(Body):
    """Votes on an answer."""

    model_config = ConfigDict(
        json_schema_extra=example(votes={"plan": "hot", "garden": "cold"}, round=1)
    )

    votes: dict[MemoryId, Vote] = Field(
        description='{memory: vote}; "" takes back a vote that was noted with go_on false.'
    )
    by: Literal["person", "agent"] = "person"
    round: Count | None = Field(None, description="Of the answer that was judged.")
    go_on: Flag = Field(True, description="False: only note the votes.")
    request_id: str | None = Field(
        None, min_length=1, max_length=200, description="Sent again with the same, it counts once."
    )


class ResolveBody(Body):
    """The end of a session."""

    model_config = ConfigDict(json_schema_extra=example(accepted=["plan"], note="used all of it"))

    accepted: list[MemoryId] | None = Field(
        None, description="What helped; default what was voted hot or warm."
    )
    note: str = Field("", max_length=2000)
    dry_run: Flag = False


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
        if self.text is not None and not self.text.strip():
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


class PromptName(BaseModel):
    """A prompt that a recall was planned or judged with."""

    name: str
    version: int
    hash: str
    origin: Literal["built in", "yours", "unknown"] = Field(
        description="Built in: it comes with this secondhop. Unknown: of another one, or kept "
        "before traces had the words of yours."
    )


class PromptWords(PromptName):
    """A prompt with its text."""

    text: str = Field(description='"" where they are not known any more.')


class MemoryLine(BaseModel):
    """What the page shows of a memory that a trace names."""

    memory_id: str
    title: str
    source: str
    kind: str
    role: str
    created_at: datetime
    text: str = Field(description="Its first words.")
    evidence: list[str] = Field(description="The passages that came back of it, best first.")
    factors: list[str] = Field(description="What changed its score, in words.")
    last_because: str = Field(description='Why it comes after the others; "" if it does not.')
    stale: str = Field(description='How it has ended by now; "" while it holds.')


class TraceLine(BaseModel):
    """What a list shows of a kept recall."""

    trace_id: str
    question: str
    asked_at: datetime
    as_of: datetime | None
    include_stale: bool
    k: int
    returned: int
    sparked: int = Field(description="How many of them a spark led to, in a session.")
    stop_reason: str
    round: int = Field(description="Rounds of searches; in a session the round, from 1.")
    votes: dict[str, int] = Field(description="How many of each vote led to it: people's, agents'.")
    effort: Effort | None
    planner: str = Field(description="Model, and names, versions and hashes of prompts.")
    critic: str
    prompts: list[PromptName]
    settings: dict[str, float | int | str | bool | None] = Field(
        description="Those that the server has otherwise now."
    )


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
