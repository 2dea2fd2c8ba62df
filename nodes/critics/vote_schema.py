"""The schema of a model's votes on a shortlist; ids are those of the call."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, model_validator

from secondhop.models.lenient_fields import Ids, Line, Lines, as_flag, as_line, as_rows
from secondhop.ranking.votes import VOTES, VoteName

_WORDS: dict[str, object] = {"type": "string"}
_IDS: dict[str, object] = {"type": "array", "items": _WORDS}
_VOTE: dict[str, object] = {"type": "string", "enum": list(VOTES)}


def row_shape(**fields: object) -> dict[str, object]:
    """The JSON schema of an object with these fields, all of them required."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


ROW_SHAPES: dict[str, object] = {
    "type": "array",
    "items": {
        "anyOf": [
            row_shape(id=_WORDS, vote=_VOTE, reason=_WORDS),
            row_shape(id=_WORDS, vote=_VOTE, reason=_WORDS, facets=_IDS),
            row_shape(id=_WORDS, repeats=_WORDS),
            row_shape(id=_WORDS, replaced_by=_WORDS),
        ]
    },
}
"""The shapes of a row that a model may write. Strict servers demand every field of a shape, and a
person waits for each word of a reply, so no shape has a field that would mostly be empty."""


def as_vote_rows(value: object) -> list[Mapping[str, object]]:
    """The rows with an id and a vote, from a list, {id: vote} or {id: {…}}."""
    rows = as_rows(value)
    if isinstance(value, Mapping):
        rows = [with_id(call_id, vote) for call_id, vote in cast(Any, value).items()]
    worded = [{**row, "vote": as_vote_word(row.get("vote")) or implied_vote(row)} for row in rows]
    return [row for row in worded if as_line(row.get("id")) and row["vote"] in VOTES]


def implied_vote(row: Mapping[str, object]) -> str:
    """The vote implied by a row without one: wrong if replaced, cold if it repeats; else ""."""
    if as_line(row.get("replaced_by")):
        return "wrong"
    return "cold" if as_line(row.get("repeats")) else ""


def with_id(call_id: object, vote: object) -> Mapping[str, object]:
    """A row from an entry of {id: vote} or {id: {…}}."""
    if isinstance(vote, Mapping):
        return {**cast(Mapping[str, object], vote), "id": call_id}
    return {"id": call_id, "vote": vote}


def as_vote_word(value: object) -> str:
    """The vote without punctuation and Markdown around it.

    >>> as_vote_word("**Hot**.")
    'hot'
    """
    return as_line(value).casefold().strip("*_.,:; ")


class VoteReply(BaseModel):
    """One vote."""

    id: Line
    vote: VoteName
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
    """A verdict, or its votes alone as a list."""

    needs: Lines
    """Kinds of thing that the answer needs: a model that names them first leaves fewer out."""
    votes: Annotated[
        list[VoteReply],
        BeforeValidator(as_vote_rows),
        Field(default_factory=list),
        WithJsonSchema(ROW_SHAPES),
    ]
    new_queries: Annotated[list[QueryReply], BeforeValidator(as_rows), Field(default_factory=list)]
    go_on: Annotated[bool | None, BeforeValidator(as_flag)] = Field(default_factory=lambda: None)

    @model_validator(mode="before")
    @classmethod
    def reads_a_list(cls, value: object) -> object:
        return {"votes": cast(list[object], value)} if isinstance(value, list) else value

    @model_validator(mode="after")
    def holds_a_vote(self) -> "CritiqueReply":
        if not self.votes:
            raise ValueError(f"vote on one candidate at least: its id, and {', '.join(VOTES)}")
        return self
