"""The ways to ask a chat server for an answer in a shape, strictest first, and which it can."""

import threading
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Literal, cast

from pydantic import BaseModel

from secondhop.models.json_replies import schema_request

AnswerMode = Literal["json_schema", "json_object", "tool", "text"]
MODES: tuple[AnswerMode, ...] = ("json_schema", "json_object", "tool", "text")

SURE = 3
"""Strikes that rule a mode out; a refusal by 4xx is so many at once, an HTTP 500 is one."""


class ModeLadder:
    """What one server has shown it can do; learned once, kept for the process."""

    def __init__(self, modes: Sequence[AnswerMode] = MODES) -> None:
        """`modes`: those that its adapter knows, strictest first; "text" is the last."""
        self._modes = modes
        self._lock = threading.Lock()
        self._proven: set[AnswerMode] = set()
        self._strikes: dict[AnswerMode, int] = {}
        self._doubts: dict[AnswerMode, int] = {}

    def usable(self, *, besides: Collection[AnswerMode] = ()) -> tuple[AnswerMode, ...]:
        """Modes worth trying, strictest first; "text" is always among them.

        Args:
            besides: left out.
        """
        with self._lock:
            return tuple(
                mode
                for mode in self._modes
                if mode == "text" or (mode not in besides and self._strikes.get(mode, 0) < SURE)
            )

    def doubt(self, refused: Mapping[AnswerMode, int]) -> None:
        """These were refused, and no request was left to see whether another is taken.

        Without it an answer of few requests would climb the same first rungs for ever.
        """
        with self._lock:
            self._doubts.update(refused)

    def take_doubts(self) -> Mapping[AnswerMode, int]:
        """What one next answer shall leave out, with its strikes; forgotten if that fails too."""
        with self._lock:
            taken, self._doubts = self._doubts, {}
            return taken

    def proven(self, mode: AnswerMode) -> bool:
        """Whether the server has answered in this mode."""
        with self._lock:
            return mode in self._proven

    def answered(self, mode: AnswerMode, *, refused: Mapping[AnswerMode, int]) -> None:
        """The server answered in `mode` after it had refused others, each for so many strikes."""
        with self._lock:
            self._proven.add(mode)
            for other, strikes in refused.items():
                if other not in self._proven:
                    self._strikes[other] = self._strikes.get(other, 0) + strikes


def mode_body(mode: AnswerMode, schema: type[BaseModel]) -> dict[str, object]:
    """What a request in this mode says besides its messages."""
    if mode == "text":
        return {}
    shape, strict = _shape(schema)
    if mode == "json_object":  # "schema" is what llama.cpp reads
        return {"response_format": {"type": "json_object", "schema": shape}}
    name = schema.__name__.strip("_")[:64]
    if mode == "json_schema":
        described = {"name": name, "schema": shape, "strict": strict}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    function = {"name": name, "parameters": shape, "strict": strict}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def mode_request(mode: AnswerMode, schema: type[BaseModel]) -> str | None:
    """What the prompt must say itself, because the mode does not tell the model the shape."""
    return schema_request(schema) if mode in ("json_object", "text") else None


@lru_cache(maxsize=64)
def _shape(schema: type[BaseModel]) -> tuple[dict[str, object], bool]:
    """JSON schema, and whether it is one that OpenAI's strict mode takes."""
    plain = schema.model_json_schema()
    if not _closed(plain):
        return plain, False
    from openai import pydantic_function_tool

    tool = pydantic_function_tool(schema)
    strict = tool["function"].get("parameters", {})
    return cast("dict[str, object]", _without_defaults(strict)), True


def _closed(node: object) -> bool:
    """No open maps, tuples or exclusive unions: strict mode knows none of them."""
    if isinstance(node, list):
        return all(_closed(part) for part in cast("list[object]", node))
    if not isinstance(node, dict):
        return True
    schema = cast("dict[str, object]", node)
    if schema.get("additionalProperties", False) is not False:
        return False
    if schema.get("type") == "object" and "properties" not in schema:
        return False
    if {"prefixItems", "oneOf", "allOf", "patternProperties"} & schema.keys():
        return False
    return all(_closed(part) for part in schema.values())


def _without_defaults(node: object) -> object:
    """Strict mode writes every field, and refuses defaults; a field may be called "default"."""
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
