"""Tries again what may pass, after the wait that the server asks for, or longer and longer ones."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from secondhop.errors import ModelError, SecondhopError
from secondhop.models.failed_try import failed_try

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

_FIRST_WAIT_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often to try, and how long to wait between two tries."""

    attempts: int
    """Tries in all, at least one is made."""
    longest_wait_s: Callable[[], float]
    """Asked after each failure; a server that wants a longer wait is not waited for."""


async def retried(
    call: Callable[[], Awaitable[T]],
    *,
    patience: Patience,
    what: str,
    explain: Callable[[Exception], str],
) -> T:
    """`call()`, again after failures that may pass.

    Args:
        call: one try; awaited anew each time.
        what: names the model and the work, for the message.
        explain: what an error means and what to do, in words without a key or a prompt.

    Raises:
        ModelError: refused (a wrong key, a wrong request), or failed at every try.
    """
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

    tries = AsyncRetrying(
        stop=stop_after_attempt(patience.attempts),
        wait=lambda state: _wait_s(state, longest=patience.longest_wait_s()),
        retry=retry_if_exception(lambda error: _worth_it(error, patience)),
        reraise=True,
    )
    try:
        async for attempt in tries:
            with attempt:
                return await call()
    except (SecondhopError, TimeoutError):
        raise  # says what happened already; or a deadline's, which is the caller's to tell
    except Exception as error:
        # Broad on purpose: what a third-party http stack may raise besides its own errors (groups
        # of errors, overflows, encodings) changes with its versions, and a recall goes on without.
        tried = int(tries.statistics.get("attempt_number", 1))
        after = f" after {tried} tries" if tried > 1 else ""
        asks = _asks_too_much(error, longest=patience.longest_wait_s())
        raise ModelError(f"{what} failed{after}: {explain(error)}{asks}") from error
    raise AssertionError("unreachable: tenacity returns or raises")


def _worth_it(error: BaseException, patience: Patience) -> bool:
    if isinstance(error, SecondhopError):
        return False
    found = failed_try(error)
    return found.may_pass and (found.asked_wait_s or 0.0) <= patience.longest_wait_s()


def _wait_s(state: "RetryCallState", *, longest: float) -> float:
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome is not None else None
    if error is not None:
        found = failed_try(error)
        if found.stale:
            return 0.0
        if found.asked_wait_s is not None:
            return found.asked_wait_s
    return wait_random_exponential(multiplier=_FIRST_WAIT_S, max=longest)(state)


def _asks_too_much(error: Exception, *, longest: float) -> str:
    """Why nobody waited, where the server asks for more time than there is."""
    found = failed_try(error)
    if found.asked_wait_s is None or not found.may_pass or found.asked_wait_s <= longest:
        return ""
    left = f"{max(0.0, longest):.1f} s are left"
    return f"; it asks to wait {found.asked_wait_s:.3g} s, and {left}"
