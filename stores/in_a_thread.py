"""Async forms of methods that block."""

import asyncio
from collections.abc import Callable
from functools import wraps
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_a_thread(method: Callable[P, T]) -> "Callable[P, CoroutineType[Any, Any, T]]":
    """Run a blocking method in a worker thread; a caller awaits it."""

    @wraps(method)
    async def run(*args: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(method, *args, **named)

    return run  # type: ignore[return-value] # to mypy, what `async def` returns is a wider type
