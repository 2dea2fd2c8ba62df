"""What a model answers when it judges a shortlist; ids are those of the call."""

from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from secondhop.nodes.critics.lenient_fields import Ids, Line, as_flag, as_line, as_rows
from secondhop.nodes.critics.vote_lines import parse_lines

VoteWord = Literal["hot", "warm", "cold", "wrong", "spark", "none"]


def as_vote_word(value: object) -> str:
    """A vote; "none" for any other word."""
    word = as_line(value).casefold().strip("*_.,:; ")
    return word if word in {"hot", "warm", "cold", "wrong", "spark"} else "none"


def as_vote_rows(value: object) -> object:
    """Rows of votes: a list, {id: vote}, {id: {…}}, or lines of text."""
    if isinstance(value, str):
        return parse_lines(value)["votes"]
    if isinstance(value, Mapping):
        by_id = cast(Mapping[str, object], value)
        return [
            {**cast(Mapping[str, object], vote), "id": call_id}
            if isinstance(vote, Mapping)
            else {"id": call_id, "vote": vote}
            for call_id, vote in by_id.items()
        ]
    rows = cast(list[object], value) if isinstance(value, list) else []
    lines = "\n".join(row for row in rows if isinstance(row, str))
    return [*as_rows(rows), *parse_lines(lines)["votes"]]


class VoteReply(BaseModel):
    """One vote."""

    id: Line
    vote: Annotated[VoteWord, BeforeValidator(as_vote_word)] = Field(default_factory=lambda: "none")
    reason: Line
    facets: Ids
    repeats: Line
    replaced_by: Line


class QueryReply(BaseModel):
    """One search for the next round."""

    facet: Line
    name: Line
    query: Line


class CritiqueReply(BaseModel):
    """A verdict. Lines of text ("id vote facets…") are understood as well as JSON."""

    votes: Annotated[list[VoteReply], BeforeValidator(as_vote_rows), Field(default_factory=list)]
    empty_facets: Ids
    new_queries: Annotated[list[QueryReply], BeforeValidator(as_rows), Field(default_factory=list)]
    go_on: Annotated[bool | None, BeforeValidator(as_flag)] = Field(default_factory=lambda: None)

    @model_validator(mode="before")
    @classmethod
    def reads_lines(cls, value: object) -> object:
        if isinstance(value, str):
            return parse_lines(value)
        return {"votes": cast(list[object], value)} if isinstance(value, list) else value

    @model_validator(mode="after")
    def holds_a_vote(self) -> "CritiqueReply":
        if not any(vote.id and vote.vote != "none" for vote in self.votes):
            raise ValueError("give a vote for every candidate: its id, and hot, warm, cold, …")
        return self
