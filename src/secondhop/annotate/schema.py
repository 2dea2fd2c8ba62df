"""The schema of a model's cues; ids are those of the call."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, model_validator

from secondhop.models.lenient_fields import Ids, Line, Lines, as_rows, holding_list


class CuesReply(BaseModel):
    """What was written about one memory, or a part of one."""

    id: Line
    role: Line
    broad: Lines
    specific: Lines
    replaces: Ids


class AnnotateReply(BaseModel):
    """What was written about a batch; a memory may have nothing, the list may not be missing."""

    memories: Annotated[list[CuesReply], BeforeValidator(as_rows)]

    @model_validator(mode="before")
    @classmethod
    def reads_a_bare_list(cls, value: object) -> object:
        wanted = 'give {"memories": [...]} with a row for each memory'
        return holding_list(value, "memories", wanted=wanted)
