"""What the bodies of requests share."""

import re
from datetime import datetime
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

MemoryId: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]
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
