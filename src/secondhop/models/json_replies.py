"""Reading a typed answer out of what a model wrote, and asking once more when there is none.

Lenient about what stands around the answer (fences, prose, thoughts), not about the answer:
it is the first balanced JSON object that fits the schema.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from secondhop.models.llm import ChatMessage

T = TypeVar("T", bound=BaseModel)

_THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MARKS = re.compile(r'\\.|["{}]', re.DOTALL)
_OBJECTS_TRIED = 8
_BRACES_TRIED = 64
_DEPTH = 64
_ERRORS_TOLD = 5
_QUOTED_BACK = 4_000
"""Characters of an unusable reply that the repair turn shows again."""


class UnreadableReplyError(Exception):
    """Internal to the adapters: no object in the reply fits; the message tells the model why."""


def read_reply(text: str, schema: type[T]) -> T:
    """The first object in `text` that fits `schema`.

    An object that shares no key with the schema is not taken for an answer, even when every
    field has a default: models echo schemas and examples.

    Raises:
        UnreadableReplyError: there is none.
    """
    problem = "there is no complete JSON object in it"
    for found in islice(json_objects(text), _OBJECTS_TRIED):
        if found and not (found.keys() & _keys(schema)):
            continue
        try:
            # dumped again: JSON rules for dates and the like; refuses lone surrogates
            return schema.model_validate_json(json.dumps(found))
        except ValidationError as error:
            problem = _told(error)
    raise UnreadableReplyError(problem)


def json_objects(text: str) -> Iterator[dict[str, object]]:
    """The outermost balanced JSON objects in a text, in order, among its first 64 pairs of braces.

    >>> list(json_objects('Use {x}: ```json\\n{"a": {"b": 1}}\\n``` and {"c"'))
    [{'a': {'b': 1}}]
    """
    plain = _THOUGHTS.sub("", text, count=1)
    start = plain.find("{")
    for _ in range(_BRACES_TRIED):
        end = _balanced_end(plain, start) if start >= 0 else None
        if end is None:
            return
        found = _loaded(plain[start:end])
        if found is not None:
            yield found
        start = plain.find("{", end)


@lru_cache(maxsize=64)
def schema_request(schema: type[BaseModel]) -> str:
    """Asks for an answer in the shape of `schema`, for servers that cannot enforce one."""
    shape = json.dumps(schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object that fits this JSON schema, and with nothing else "
        f"(the object itself, not the schema):\n{shape}"
    )


def with_request(messages: Sequence[ChatMessage], request: str) -> list[ChatMessage]:
    """The prompt with `request` at its end; chat templates want user and assistant in turns."""
    if messages and messages[-1]["role"] == "user":
        content = f"{messages[-1]['content']}\n\n{request}"
        return [*messages[:-1], ChatMessage(role="user", content=content)]
    return [*messages, ChatMessage(role="user", content=request)]


def repair_turn(
    messages: Sequence[ChatMessage], *, reply: str, problem: str, schema: type[BaseModel]
) -> list[ChatMessage]:
    """The prompt once more, with the unusable reply and what is wrong with it."""
    shown = reply.strip()[:_QUOTED_BACK] or "(an empty reply)"
    request = f"That could not be used: {problem}\n\n{schema_request(schema)}"
    return [
        *messages,
        ChatMessage(role="assistant", content=shown),
        ChatMessage(role="user", content=request),
    ]


def _balanced_end(text: str, start: int) -> int | None:
    """Just behind the brace that closes the one at `start`; None: cut off, or absurdly deep."""
    depth, quoted = 0, False
    for mark in _MARKS.finditer(text, start):
        sign = mark.group()
        if sign == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif sign == "{":
            depth += 1
            if depth > _DEPTH:
                return None
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


def _loaded(text: str) -> dict[str, object] | None:
    try:
        # not strict: small models put raw line breaks into strings
        found: dict[str, object] = json.loads(text, strict=False, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _keys(schema: type[BaseModel]) -> set[str]:
    names = set(schema.model_fields)
    for field in schema.model_fields.values():
        if field.alias:
            names.add(field.alias)
        if isinstance(field.validation_alias, str):
            names.add(field.validation_alias)
    return names


def _told(error: ValidationError) -> str:
    """What does not fit, without the values: "facets.0.name: Field required"."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'the object'}: {problem['msg']}"[:200]
        for problem in problems[:_ERRORS_TOLD]
    ]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
