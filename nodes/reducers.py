"""How two updates of one key of a graph's state become one; every one of them is commutative."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, TypeVar, get_args, get_origin

T = TypeVar("T")


def merge_keys(left: Mapping[str, T], right: Mapping[str, T]) -> dict[str, T]:
    """Union of two mappings; branches that run side by side never write the same key.

    >>> merge_keys({"a": 1}, {"b": 2})
    {'a': 1, 'b': 2}
    """
    return {**left, **right}


def add_counts(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Sum of two counters.

    >>> add_counts({"llm_calls": 1}, {"llm_calls": 2, "queries": 3})
    {'llm_calls': 3, 'queries': 3}
    """
    return {key: left.get(key, 0) + right.get(key, 0) for key in [*left, *(set(right) - set(left))]}


def reducer_of(hint: Any) -> Callable[[Any, Any], Any] | None:
    """What a key of the state says about two updates of it; None: the later one counts."""
    inner = get_args(hint)[0] if get_origin(hint) is NotRequired else hint
    return get_args(inner)[1] if get_origin(inner) is Annotated else None
