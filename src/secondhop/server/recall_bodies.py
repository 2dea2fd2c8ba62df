"""Bodies of recalls and sessions, and what the page shows of a recall."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

from secondhop.nodes.state import Effort
from secondhop.ranking.votes import VoteName
from secondhop.server.bodies import Body, Count, Flag, MemoryId, Moment, example
from secondhop.stores.where import Where

Vote: TypeAlias = Literal[VoteName, ""]


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
