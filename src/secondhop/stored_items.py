"""Items of a LangGraph store as memories, and back; and which of them an operation asks for."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from langgraph.store.base import Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem
from langgraph.store.base.embed import get_text_at_path

from secondhop.errors import UsageError
from secondhop.stores.records import Memory, Message

FOUND: Final = "item"
"""Source of an item that queries may find."""

NOT_INDEXED: Final = "item (not indexed)"
"""Source of one that was put with `index=False`."""


def memory_of(put: PutOp, *, at: datetime, known: Memory | None) -> Memory:
    """The memory that an item is kept as: its words as text, the whole value beside it.

    Args:
        known: what its key holds so far.

    Raises:
        UsageError: the value is no JSON.
    """
    created_at = created(known) if known is not None else at
    try:
        held = {"value": put.value, "created_at": created_at.isoformat()}
        kept = json.dumps(held, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise UsageError(f"item {put.key!r} cannot be kept as JSON: {error}") from error
    return Memory(
        memory_id=put.key,
        title="",
        source=NOT_INDEXED if put.index is False else FOUND,
        created_at=at,
        messages=(Message("user", words_of(put)),),
        value=kept.replace(" ", "\\u0020"),  # spaces in the values of facts are not kept as such
    )


def words_of(put: PutOp) -> str:
    """What an item is found by: the fields that `index` names, or all texts in its value."""
    value = put.value or {}
    if put.index:
        texts = [text for path in put.index for text in get_text_at_path(value, path)]
    else:
        texts = list(texts_in(value))
    return "\n".join(text for text in texts if text.strip()) or json.dumps(value)


def texts_in(value: object) -> Iterator[str]:
    """Every text in a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in cast("Mapping[str, object]", value).values():
            yield from texts_in(part)
    elif isinstance(value, list | tuple):
        for part in cast("Sequence[object]", value):
            yield from texts_in(part)


def item_of(memory: Memory, namespace: tuple[str, ...]) -> Item:
    """The item that was put; any other memory of the entity is one with its text."""
    return Item(
        value=value_of(memory),
        key=memory.memory_id,
        namespace=namespace,
        created_at=created(memory),
        updated_at=memory.created_at,
    )


def found_item(item: Item, *, score: float | None) -> SearchItem:
    """An item as a search gives it."""
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at,
        updated_at=item.updated_at,
        score=score,
    )


def value_of(memory: Memory) -> dict[str, Any]:
    """The value that was put."""
    if memory.source in (FOUND, NOT_INDEXED):
        value: dict[str, Any] = json.loads(memory.value)["value"]
        return value
    told = {"content": memory.text, "title": memory.title, "source": memory.source}
    return {name: text for name, text in told.items() if text}


def created(memory: Memory) -> datetime:
    """When the item of this key was put first."""
    if memory.source in (FOUND, NOT_INDEXED):
        return datetime.fromisoformat(json.loads(memory.value)["created_at"])
    return memory.created_at


def fits(value: object, wanted: object) -> bool:
    """Whether a part of a value fits a filter: equal, or as operators like `$gt` say.

    Raises:
        ValueError: an operator that LangGraph does not know.
    """
    if isinstance(wanted, Mapping):
        parts = cast("Mapping[str, object]", wanted)
        if any(name.startswith("$") for name in parts):
            return all(compared(value, name, limit) for name, limit in parts.items())
        own = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
        return own is not None and all(fits(own.get(name), part) for name, part in parts.items())
    if isinstance(wanted, list | tuple):
        entries = cast("Sequence[object]", wanted)
        given = cast("Sequence[object]", value) if isinstance(value, list | tuple) else None
        return given is not None and len(given) == len(entries) and all(map(fits, given, entries))
    return value == wanted


def compared(value: object, operator: str, limit: object) -> bool:
    """One operator of a filter; a missing value or one of another type is no match."""
    if operator in ("$eq", "$ne"):
        return (value == limit) == (operator == "$eq")
    if operator not in _ORDERS:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        return _ORDERS[operator](float(cast(Any, value)), float(cast(Any, limit)))
    except (TypeError, ValueError):
        return False


_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
}


def listed(namespaces: Sequence[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """The namespaces that an operation asks for, sorted."""
    conditions = op.match_conditions or ()
    found = {one for one in namespaces if all(matches(one, each) for each in conditions)}
    cut = sorted({one[: op.max_depth] for one in found})
    return cut[op.offset : op.offset + op.limit]


def matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether it begins or ends as the condition says; "*" stands for any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
