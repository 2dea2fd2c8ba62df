"""Which ways of asking for a typed answer a server has taken, and what it refused."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from pydantic import BaseModel

from secondhop.models.chat_transport import AnswerMode
from secondhop.models.json_replies import schema_request

SURE = 3
"""Refusals that rule a mode out. A 4xx counts as so many, an HTTP 500 as one."""


class AnswerModes:
    """What one server has shown it can do; learned once, kept for the process."""

    def __init__(self, modes: Sequence[AnswerMode]) -> None:
        """`modes`: those that its adapter knows, strictest first; "text" is the last."""
        self._modes = modes
        self._proven: set[AnswerMode] = set()
        self._refusals: Counter[AnswerMode] = Counter()

    def usable(self) -> tuple[AnswerMode, ...]:
        """Modes worth trying, strictest first; "text" is always among them."""
        return tuple(mode for mode in self._modes if mode == "text" or self._refusals[mode] < SURE)

    def proven(self, mode: AnswerMode) -> bool:
        """Whether the server has answered in this mode."""
        return mode in self._proven

    def answered(self, mode: AnswerMode) -> None:
        """The server has answered in this mode."""
        self._proven.add(mode)

    def refused(self, mode: AnswerMode, times: int) -> None:
        """The server has refused this mode; once proven, a mode is never ruled out."""
        if mode not in self._proven:
            self._refusals[mode] += times

    def text_failed(self) -> None:
        """Plain text, which every server takes, failed too: earlier refusals mean nothing."""
        if "text" not in self._proven:
            self._refusals.clear()


def mode_request(mode: AnswerMode, schema: type[BaseModel]) -> str | None:
    """What the prompt must say itself, because the mode does not tell the model the shape."""
    return schema_request(schema) if mode in ("json_object", "text") else None


def mode_body(mode: AnswerMode, schema: type[BaseModel]) -> dict[str, object]:
    """What an OpenAI request in this mode says besides its messages."""
    if mode == "text":
        return {}
    shape = strict_shape(schema)
    if mode == "json_object":  # "schema" is what llama.cpp reads
        return {"response_format": {"type": "json_object", "schema": shape}}
    described = {"name": schema.__name__.strip("_")[:64], "schema": shape, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


@lru_cache(maxsize=64)
def strict_shape(schema: type[BaseModel]) -> dict[str, object]:
    """The JSON schema as OpenAI's strict mode takes it: every field required, no defaults."""
    from openai import pydantic_function_tool

    strict = pydantic_function_tool(schema)["function"].get("parameters", {})
    return cast("dict[str, object]", _without_defaults(strict))


def _without_defaults(node: object) -> object:
    """The schema without its defaults; a field may be called "default"."""
    if isinstance(node, list):
        return [_without_defaults(part) for part in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, object]", node)
    kept: dict[str, object] = {}
    for key, part in schema.items():
        if key in ("properties", "$defs") and isinstance(part, dict):
            named = cast("dict[str, object]", part)
            kept[key] = {name: _without_defaults(below) for name, below in named.items()}
        elif key != "default":
            kept[key] = _without_defaults(part)
    return kept
