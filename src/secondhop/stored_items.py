"""Converts items of a LangGraph store to memories and back, and filters items and namespaces."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, cast

from langgraph.store.base import Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem
from langgraph.store.base.embed import get_text_at_path

from secondhop.clean_text import clean_text
from secondhop.errors import UsageError
from secondhop.ingest.langgraph_items import (
    ITEM,
    NOT_INDEXED,
    ItemValue,
    kept_text,
    kept_value,
    words_of,
)
from secondhop.stores.records import Memory, Message


def check_key(key: str) -> None:
    """Raises UsageError for a key that would change when stored as a memory's id."""
    if not key or clean_text(key).strip() != key:
        raise UsageError(
            f"an item cannot have the key {key!r}: a key must not be empty, begin or end with "
            f"spaces, or hold carriage returns or characters that are not text"
        )


def memory_of(put: PutOp, *, at: datetime, known: Memory | None) -> Memory:
    """The memory that keeps an item: the item's words are its text, and `value` holds all of it.

    Args:
        at: the time of the put.
        known: the memory that its key holds so far; the item keeps that one's creation time.

    Raises:
        UsageError: the value cannot be written as JSON.
    """
    value = dict(put.value or {})
    created_at = kept_value(known).created_at if known is not None else at
    try:
        kept = kept_text(ItemValue(value, created_at, (), ""))
    except (TypeError, ValueError) as error:
        raise UsageError(f"item {put.key!r} cannot be kept as JSON: {error}") from error
    return Memory(
        memory_id=put.key,
        title="",
        source=NOT_INDEXED if put.index is False else ITEM,
        created_at=at,
        messages=(Message("user", words_at(put.index, value) or words_of(value)),),
        value=kept,
    )


def words_at(paths: Sequence[str] | Literal[False] | None, value: dict[str, Any]) -> str:
    """The texts of the fields that `index` names, a line each; "" if there are none."""
    texts = [text for path in paths or () for text in get_text_at_path(value, path)]
    return "\n".join(text for text in texts if text.strip())


def item_of(memory: Memory, namespace: tuple[str, ...]) -> Item:
    """The memory as an item; a memory that was not put as an item becomes one with its text."""
    kept = kept_value(memory)
    return Item(
        value=kept.value,
        key=memory.memory_id,
        namespace=namespace,
        created_at=kept.created_at,
        updated_at=memory.created_at,
    )


def found_item(item: Item, *, score: float | None) -> SearchItem:
    """The item as a search result."""
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at,
        updated_at=item.updated_at,
        score=score,
    )


def fits(value: object, wanted: object) -> bool:
    """Whether a part of a value matches a filter, by equality or operators like `$gt`. Raises
    ValueError if the filter has an operator that LangGraph does not know."""
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
    """Whether a value passes one operator; for an order, a value that is no number does not."""
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
    """Whether a namespace has the condition's prefix or suffix; "*" matches any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
