"""Reading a typed answer out of what a model wrote, and asking once more when there is none.

Lenient about what stands around the answer (fences, prose, thoughts), not about the answer:
it is the first balanced JSON object that fits the schema. Where there is none, the schema may take
a list, the whole rows of a reply that was cut off, or lines of text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import NoReturn, TypeVar, cast

from pydantic import BaseModel, ValidationError

from secondhop.models.llm import ChatMessage

T = TypeVar("T", bound=BaseModel)

_THOUGHTS = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_ALL_MARKS = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_CLOSED_BY = {"{": "}", "[": "]"}
_MARKS = re.compile(r'\\.|["{}]', re.DOTALL)
_OBJECTS_TRIED = 8
_BRACES_TRIED = 64
_DEPTH = 64
_SAME_SIGNS = re.compile(r"([\W_])\1{3,}")
_LINE = 300
"""Characters that are read of a line of text: lines are matched by patterns that backtrack."""
_ERRORS_TOLD = 5
_QUOTED_BACK = 4_000
"""Characters of an unusable reply that the repair turn shows again."""


class UnreadableReplyError(Exception):
    """Internal to the adapters: no object in the reply fits; the message tells the model why."""


def read_reply(text: str, schema: type[T]) -> T:
    """The first object in `text` that fits `schema`, else what else the schema takes for one.

    An object that shares no key with the schema is not taken for an answer, even when every
    field has a default: models echo schemas and examples.

    Raises:
        UnreadableReplyError: there is none.
    """
    problem = ""
    for found in islice(json_objects(text), _OBJECTS_TRIED):
        if found and not (found.keys() & _keys(schema)):
            continue
        try:
            return _validated(found, schema)
        except ValidationError as error:
            problem = _told(error)
    if not problem:
        for value in _other_forms(_THOUGHTS.sub("", text, count=1), schema):
            with suppress(ValidationError):
                return _validated(value, schema)
    raise UnreadableReplyError(problem or "there is no complete JSON object in it")


def _validated(value: object, schema: type[T]) -> T:
    # dumped again: JSON rules for dates and the like; refuses lone surrogates
    return schema.model_validate_json(json.dumps(value))


def _other_forms(plain: str, schema: type[BaseModel]) -> Iterator[object]:
    """A list, the whole rows of what was cut off, or lines: for schemas that take them."""
    brace, bracket = plain.find("{"), plain.find("[")
    if bracket >= 0 and (brace < 0 or bracket < brace):
        listed = _listed(plain[bracket:])
        if listed is not None:
            yield listed
    if brace < 0:
        if '["' not in plain:  # a broken list of strings: its first line would swallow the rest
            squeezed = _SAME_SIGNS.sub(r"\1\1\1", plain)
            yield "\n".join(line[:_LINE] for line in squeezed.splitlines())
        return
    before = plain[:brace].rstrip()
    kept = whole_rows(plain[len(before) - 1 if before.endswith("[") else brace :])
    if isinstance(kept, list) or (isinstance(kept, dict) and kept.keys() & _keys(schema)):
        yield kept


def whole_rows(text: str) -> object:
    """An object or a list that was cut off, up to its last whole row; None: no row is whole.

    A row is an object one level down. What the cut has torn is left out, not guessed.

    >>> whole_rows('{"votes": [{"id": "a", "vote": "hot"}, {"id": "b", "vo')
    {'votes': [{'id': 'a', 'vote': 'hot'}]}
    """
    level = 1 if text.startswith("{") else 0
    closers: list[str] = []
    whole: tuple[int, str] | None = None
    quoted = False
    for mark in _ALL_MARKS.finditer(text):
        sign = mark.group()
        if sign == '"':
            quoted = not quoted
        elif quoted or len(sign) > 1:
            continue
        elif sign in _CLOSED_BY:
            closers.append(_CLOSED_BY[sign])
            if len(closers) > _DEPTH:
                return None
        elif not closers or closers.pop() != sign:
            return None
        elif not closers:
            break
        elif sign == "}" and closers.count("}") == level:
            whole = mark.end(), "".join(reversed(closers))
    if not whole or (level and not closers):  # an object that is whole is no business of ours
        return None
    return _json(text[: whole[0]] + whole[1])


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
    found = _json(text)
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _json(text: str) -> object:
    """What the text says in JSON; None: nothing."""
    try:
        # not strict: small models put raw line breaks into strings
        return json.loads(text, strict=False, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _listed(text: str) -> list[object] | None:
    """The list that a text begins with; None: none that is whole."""
    try:
        found, _ = json.JSONDecoder(strict=False, parse_constant=_refuse).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return cast("list[object]", found)


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
