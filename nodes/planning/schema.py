"""The schema of a model's plan."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from secondhop.models.lenient_fields import Ids, Line, Lines, as_line, as_rows
from secondhop.nodes.state import QuestionKind

WEIGHTS = (0.3, 1.5)
"""Least and greatest weight of a planned facet."""


def as_kind(value: object) -> str:
    """A kind of question; "unknown" for any other word."""
    word = as_line(value).casefold()
    return word if word in {"factual", "conceptual", "procedural", "temporal"} else "unknown"


def as_weight(value: object) -> float:
    """The number, limited to `WEIGHTS`; 1.0 if it is not a number.

    >>> as_weight("1.2"), as_weight(99), as_weight("much"), as_weight("nan")
    (1.2, 1.5, 1.0, 1.0)
    """
    try:
        weight = float(as_line(value))
    except ValueError:
        return 1.0
    return min(max(weight, WEIGHTS[0]), WEIGHTS[1]) if weight == weight else 1.0


class PartReply(BaseModel):
    """One thing that the question names."""

    name: Line
    queries: Lines


class DecomposeReply(BaseModel):
    """Hop 1."""

    kind: Annotated[
        Literal["factual", "conceptual", "procedural", "temporal", "unknown"],
        BeforeValidator(as_kind),
    ] = Field(default_factory=lambda: "unknown")
    rewordings: Lines
    parts: Annotated[list[PartReply], BeforeValidator(as_rows), Field(default_factory=list)]

    @property
    def question_kind(self) -> QuestionKind | None:
        """None when the model did not say."""
        return None if self.kind == "unknown" else self.kind

    @model_validator(mode="after")
    def says_something(self) -> "DecomposeReply":
        if self.kind == "unknown" and not self.rewordings and not self.parts:
            raise ValueError("give at least the kind of question")
        return self


class FacetReply(BaseModel):
    """One kind of memory that the answer needs."""

    name: Line
    why: Line
    weight: Annotated[float, BeforeValidator(as_weight)] = Field(default_factory=lambda: 1.0)
    queries: Lines


class ExpandReply(BaseModel):
    """Hop 2."""

    intent: Line
    facets: Annotated[list[FacetReply], BeforeValidator(as_rows), Field(default_factory=list)]

    @model_validator(mode="after")
    def says_something(self) -> "ExpandReply":
        if not self.intent and not self.facets:
            raise ValueError("give the intent, and facets with queries")
        return self


class ExpandWithKept(ExpandReply):
    """Hop 2, told what is kept by name; ids are those of the call."""

    facts: Ids
    preferences: Ids

    @model_validator(mode="after")
    def says_something(self) -> "ExpandWithKept":
        if not (self.intent or self.facets or self.facts or self.preferences):
            raise ValueError("give the intent, and facets with queries")
        return self
