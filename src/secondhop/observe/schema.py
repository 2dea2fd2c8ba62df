"""The schema of what a model reads from a conversation; ids are those of the call."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from secondhop.models.lenient_fields import Line, as_flag, as_line, as_rows, holding_list

KindWord = Literal["fact", "preference", "note", "none"]


def as_kind_word(value: object) -> str:
    """A kind; "none" for any other word.

    >>> as_kind_word("Facts"), as_kind_word("preferential"), as_kind_word("idea")
    ('fact', 'preference', 'none')
    """
    word = as_line(value).casefold()
    kinds = {"fact": "fact", "pref": "preference", "note": "note", "cont": "note"}
    return kinds.get(word[:4], "none")


def as_certainty(value: object) -> bool:
    """Whether the user is sure; true for what is neither yes nor no."""
    return as_flag(value) is not False


class MemoryReply(BaseModel):
    """One thing that was stated."""

    message: Line
    quote: Line
    kind: Annotated[KindWord, BeforeValidator(as_kind_word)] = Field(default_factory=lambda: "none")
    subject: Line
    attribute: Line
    value: Line
    text: Line
    scope: Line
    topic: Line
    change: Line
    sure: Annotated[bool, BeforeValidator(as_certainty)] = Field(default_factory=lambda: True)


class EndedReply(BaseModel):
    """A known thing that no longer holds."""

    message: Line
    quote: Line
    known: Line


class ObserveReply(BaseModel):
    """What a conversation states; an empty list is an answer, no list is none."""

    memories: Annotated[list[MemoryReply], BeforeValidator(as_rows)]
    ended: Annotated[list[EndedReply], BeforeValidator(as_rows)] = Field(
        default_factory=list[EndedReply]
    )

    @model_validator(mode="before")
    @classmethod
    def reads_a_bare_list(cls, value: object) -> object:
        wanted = 'give {"memories": [...]}; an empty list when nothing is stated'
        return holding_list(value, "memories", wanted=wanted)
