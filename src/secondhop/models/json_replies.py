"""Reads a typed answer from a model's reply, and writes the prompt that asks once more.

Text around the answer (fences, prose, thoughts) is ignored. The answer is the first balanced JSON
object that fits the schema. If there is none, a schema may accept a list, or the complete rows of
a reply that was cut off.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from secondhop.models.llm import ChatMessage

T = TypeVar("T", bound=BaseModel)

_THOUGHTS_END = ("</think>", "</thinking>")
_OBJECTS_TRIED = 8
_BRACES_TRIED = 64
_ERRORS_TOLD = 5
_QUOTED_BACK = 4_000
"""How many characters of an unusable reply the repair turn quotes."""


class UnreadableReplyError(Exception):
    """Internal to the adapters: nothing in the reply fits; the message tells the model why."""


def read_reply(text: str, schema: type[T]) -> T:
    """The first object in `text` that fits `schema`, else a list or cut-off rows that fit;
    raises UnreadableReplyError if nothing does. An object that shares no key with the schema is
    skipped, even if every field has a default, because models echo schemas and examples."""
    problem = ""
    for found in islice(json_objects(text), _OBJECTS_TRIED):
        if found and not (found.keys() & schema.model_fields.keys()):
            continue
        try:
            return _validated(found, schema)
        except ValidationError as error:
            problem = _told(error)
    if not problem:
        for value in _other_forms(_without_thoughts(text), schema):
            with suppress(ValidationError):
                return _validated(value, schema)
    raise UnreadableReplyError(problem or "there is no complete JSON object in it")


def _without_thoughts(text: str) -> str:
    """The text after the model's thoughts; their opening tag may be in the prompt, not here."""
    if text.lstrip().startswith(("{", "[")):
        return text
    for end in _THOUGHTS_END:
        _, found, answer = text.partition(end)
        if found:
            return answer
    return text


def _validated(value: object, schema: type[T]) -> T:
    # dumped again, so that JSON rules hold for dates and the like, and lone surrogates fail
    return schema.model_validate_json(json.dumps(value))


def _other_forms(plain: str, schema: type[BaseModel]) -> Iterator[object]:
    """The complete rows of a list or of a cut-off reply, for schemas that accept them."""
    brace = plain.find("{")
    if brace < 0:
        return
    before = plain[:brace].rstrip()
    rows = whole_rows(plain[len(before) - 1 if before.endswith("[") else brace :])
    fields = schema.model_fields.keys()
    if isinstance(rows, list) or (isinstance(rows, dict) and rows.keys() & fields):
        yield rows


def whole_rows(text: str) -> object:
    """A cut-off object or list up to its last complete object; None if none is complete.

    >>> whole_rows('{"votes": [{"id": "a", "vote": "hot"}, {"id": "b", "vo')
    {'votes': [{'id': 'a', 'vote': 'hot'}]}
    """
    with suppress(ValueError):
        return from_json(text[: text.rfind("}") + 1], allow_partial=True)
    return None


def json_objects(text: str) -> Iterator[dict[str, object]]:
    """The outermost JSON objects in a text, in order; at most 64 opening braces are tried.

    >>> list(json_objects('Use {x}: ```json\\n{"a": {"b": 1}}\\n``` and {"c"'))
    [{'a': {'b': 1}}]
    """
    plain = _without_thoughts(text)
    start = plain.find("{")
    for _ in range(_BRACES_TRIED):
        if start < 0:
            return
        try:
            found, end = _DECODER.raw_decode(plain, start)
            yield found
        except json.JSONDecodeError as error:
            end = max(error.pos, start + 1)  # go on after the error, not inside a torn object
        except (ValueError, RecursionError):
            return
        start = plain.find("{", end)


@lru_cache(maxsize=64)
def schema_request(schema: type[BaseModel]) -> str:
    """A request to answer in the shape of `schema`, for servers that cannot enforce it."""
    shape = json.dumps(schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object that fits this JSON schema, and with nothing else "
        f"(the object itself, not the schema):\n{shape}"
    )


def with_request(messages: Sequence[ChatMessage], request: str) -> list[ChatMessage]:
    """The prompt with `request` at its end, in the last user message if that is the last one.

    Chat templates want user and assistant messages to alternate.
    """
    if messages and messages[-1]["role"] == "user":
        content = f"{messages[-1]['content']}\n\n{request}"
        return [*messages[:-1], ChatMessage(role="user", content=content)]
    return [*messages, ChatMessage(role="user", content=request)]


def repair_turn(
    messages: Sequence[ChatMessage], *, reply: str, problem: str, schema: type[BaseModel]
) -> list[ChatMessage]:
    """The prompt, followed by the unusable reply and what is wrong with it."""
    shown = reply.strip()[:_QUOTED_BACK] or "(an empty reply)"
    request = f"That could not be used: {problem}\n\n{schema_request(schema)}"
    return [
        *messages,
        ChatMessage(role="assistant", content=shown),
        ChatMessage(role="user", content=request),
    ]


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)
"""Not strict, because small models put raw line breaks into strings."""


def _told(error: ValidationError) -> str:
    """What does not fit, without values: "facets.0.name: Field required"."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'the object'}: {problem['msg']}"[:200]
        for problem in problems[:_ERRORS_TOLD]
    ]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
