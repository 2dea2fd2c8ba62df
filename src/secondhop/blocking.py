"""The form of an async method for callers without an event loop."""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from secondhop.sync_door import SyncDoor

P = ParamSpec("P")
T = TypeVar("T")


class HasDoor(Protocol):
    """An object whose async work runs behind a door of its own."""

    _door: SyncDoor


H = TypeVar("H", bound=HasDoor)


def blocking(method: Callable[Concatenate[H, P], Awaitable[T]]) -> Callable[Concatenate[H, P], T]:
    """The same method, waited for: `remember = blocking(aremember)`.

    It goes by the name, so that a subclass which has an `aremember` of its own has its `remember`.
    """
    name = method.__name__

    @wraps(method)
    def waited(self: H, /, *args: P.args, **named: P.kwargs) -> T:
        work: Callable[[], Awaitable[T]] = partial(getattr(self, name), *args, **named)
        return self._door.call(work)  # pyright: ignore[reportPrivateUsage] - a method of it

    waited.__name__ = name.removeprefix("a")
    waited.__qualname__ = method.__qualname__.removesuffix(name) + waited.__name__
    waited.__doc__ = f"As `{name}`, for callers without an event loop."
    return waited
