"""Methods of one object that another one offers under the same name."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def offered(
    method: Callable[Concatenate[Any, P], T], *, by: str
) -> Callable[Concatenate[Any, P], T]:
    """A method that calls the method of the same name of `self.<by>`."""
    name = method.__name__

    @wraps(method)
    def call(self: Any, /, *args: P.args, **named: P.kwargs) -> T:
        found: Callable[P, T] = getattr(getattr(self, by), name)
        return found(*args, **named)

    return call
