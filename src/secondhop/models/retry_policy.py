"""Which failures of a model server are temporary, and how to retry them.

Clients of model servers have only a few things in common: an HTTP status, a Retry-After header,
the names of their errors. These are read along the chain of causes, because adapters wrap each
other's errors.
"""

import math
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard, TypeVar, cast

from secondhop.errors import ModelError, SecondhopError, UsageError
from secondhop.models.chat_transport import BrokenReplyError, RepeatAtOnceError
from secondhop.models.failure_messages import causes, kind_of_failure

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

_FIRST_WAIT_S = 0.5
_MORE_AT_ONCE = 8
"""Extra tries for stale connections; the client drops each after its first error. As many as one
embedder keeps open."""
_MAY_PASS = frozenset({408, 409, 429})
"""Temporary, as is every status from 500 on."""
_NOBODY_THERE = frozenset({502, 503, 504})
"""A proxy's status when the server behind it is not there."""
_GATEWAY_TIMEOUT = 504
"""The server behind the proxy may have done the work, and may charge for it."""
_LOST = (ConnectionError, TimeoutError, ssl.SSLError, socket.gaierror)
_LOST_NAMES = frozenset(
    """
    TryTimedOutError APIConnectionError
    TimeoutException NetworkError RemoteProtocolError UnsupportedProtocol ProxyError
    ConnectionError Timeout ChunkedEncodingError
    ClientConnectionError ServerTimeoutError
    HTTPClientError ProtocolError IncompleteRead
    """.split()  # noqa: SIM905 - a line for each: ours and openai, httpx, requests, aiohttp, botocore
)
"""Names of error classes (or of their bases) that mean a lost or late connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long and how often a model server is tried."""

    timeout_s: float = 30.0
    """For one try; the model's own limit, if it has one, may be shorter."""
    attempts: int = 4
    """Tries in all, after temporary failures: 408, 409, 429, 5xx, timeouts, lost connections."""
    max_wait_s: float = 20.0
    """Longest wait between two tries; if a server asks for more, there is no further try."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.timeout_s <= 0 or self.max_wait_s < 0:
            raise UsageError("a model needs attempts >= 1, timeout_s > 0, max_wait_s >= 0")


class TryTimedOutError(Exception):
    """Internal to the adapters: one try exceeded its time limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is known about one try that brought no answer."""

    status: int | None = None
    """HTTP status; None: no response came, or the error has no status."""
    lost: bool = False
    """The connection broke, was refused or took too long."""
    at_once: bool = False
    """The server did nothing, and the next try will differ, so it need not wait."""
    broken: bool = False
    """What came back is not a reply."""
    asked_wait_s: float | None = None
    """How long the server wants the next try to wait."""
    code: str = ""
    """The server's own code for the error."""

    @property
    def may_pass(self) -> bool:
        """Whether another try may succeed: 408, 409, 429, 5xx, lost connections, broken replies."""
        if self.status is None:
            return self.lost or self.at_once or self.broken
        no_quota = self.code == "insufficient_quota"  # no waiting refills it
        return not no_quota and (self.status in _MAY_PASS or self.status >= 500)

    @property
    def answered(self) -> bool | None:
        """Whether the failure shows that the server is alive; None: it does not show."""
        if self.status is not None:
            return self.status not in _NOBODY_THERE
        return False if self.lost else (True if self.broken else None)

    @property
    def was_free(self) -> bool:
        """Whether the server refused before it did any work that it could charge for."""
        return self.at_once or (self.status is not None and self.status != _GATEWAY_TIMEOUT)


def failure_of(error: BaseException) -> Failure:
    """What an error says about the try that raised it."""
    for cause in causes(error):
        if isinstance(cause, RepeatAtOnceError) or _of_closed_loop(cause):
            return Failure(at_once=True)
        if isinstance(cause, BrokenReplyError):
            return Failure(broken=True)
        if (status := _status(cause)) is not None:
            code: object = getattr(cause, "code", None)
            return Failure(status=status, asked_wait_s=_asked_wait_s(cause), code=str(code or ""))
    names = {base.__name__ for cause in causes(error) for base in type(cause).__mro__}
    lost = bool(names & _LOST_NAMES) or any(isinstance(one, _LOST) for one in causes(error))
    return Failure(lost=lost)


def why_unanswered(error: BaseException) -> str:
    """Why there was no answer, in a few words: "HTTP 503", "no answer in time"."""
    failure = failure_of(error)
    if failure.status is not None:
        return f"HTTP {failure.status}"
    names = {base.__name__ for cause in causes(error) for base in type(cause).__mro__}
    late = any("timeout" in name.casefold() or "timedout" in name.casefold() for name in names)
    return "no answer in time" if late else kind_of_failure(error)


async def retried(
    call: Callable[[], Awaitable[T]],
    *,
    attempts: int,
    longest_wait_s: Callable[[], float],
    what: str,
    explain: Callable[[Exception], str],
) -> T:
    """What `call()` returns; repeats it after temporary failures, and waits as Retry-After says.
    Raises ModelError if the server refused (wrong key, wrong request), or every try failed.

    Args:
        attempts: tries in all, at least one; a few more if the server did nothing.
        longest_wait_s: called after each failure; if the server wants a longer wait, this gives up.
        what: names the model and the work, for the message.
        explain: says what an error means and what to do, without a key or a prompt.
    """
    from tenacity import AsyncRetrying, retry_if_exception

    tries = AsyncRetrying(
        stop=lambda state: state.attempt_number >= attempts + _more_tries(state),
        wait=lambda state: _wait_s(state, longest=longest_wait_s()),
        retry=retry_if_exception(lambda error: _worth_it(error, longest=longest_wait_s())),
        reraise=True,
    )
    try:
        async for attempt in tries:
            with attempt:
                return await call()
    except SecondhopError:
        raise  # it already says what happened
    except Exception as error:
        # Broad on purpose: what else a third-party HTTP stack raises (error groups, overflows,
        # encodings) changes with its versions, and a recall can go on without the model.
        tried = int(tries.statistics.get("attempt_number", 1))
        after = f" after {tried} tries" if tried > 1 else ""
        asks = _asks_too_much(failure_of(error), longest=longest_wait_s())
        raise ModelError(f"{what} failed{after}: {explain(error)}{asks}") from error
    raise AssertionError("unreachable: tenacity returns or raises")


def _worth_it(error: BaseException, *, longest: float) -> bool:
    if isinstance(error, SecondhopError):
        return False
    failure = failure_of(error)
    return failure.may_pass and (failure.asked_wait_s or 0.0) <= longest


def _more_tries(state: "RetryCallState") -> int:
    error = state.outcome.exception() if state.outcome is not None else None
    return _MORE_AT_ONCE if error is not None and failure_of(error).at_once else 0


def _wait_s(state: "RetryCallState", *, longest: float) -> float:
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome is not None else None
    failure = failure_of(error) if error is not None else Failure()
    if failure.at_once:
        return 0.0
    if failure.asked_wait_s is not None:
        return failure.asked_wait_s
    return wait_random_exponential(multiplier=_FIRST_WAIT_S, max=longest)(state)


def _asks_too_much(failure: Failure, *, longest: float) -> str:
    """The end of a message if the server asks for a longer wait than is left; else ""."""
    if not failure.may_pass or failure.asked_wait_s is None or failure.asked_wait_s <= longest:
        return ""
    left = f"{max(0.0, longest):.1f} s are left"
    return f"; it asks to wait {failure.asked_wait_s:.3g} s, and {left}"


def _of_closed_loop(error: BaseException) -> bool:
    """Whether a connection belongs to a closed loop; langchain-openai shares them between loops."""
    return isinstance(error, RuntimeError) and str(error) == "Event loop is closed"


def _status(error: BaseException) -> int | None:
    """The HTTP status of an error or of its response; None if there is none."""
    response: object = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "http_status", "code", "status"):
            if _is_status(found := getattr(holder, name, None)):
                return found
    if isinstance(response, Mapping):  # botocore's
        about = cast("Mapping[str, object]", response).get("ResponseMetadata")
        if isinstance(about, Mapping):
            found = cast("Mapping[str, object]", about).get("HTTPStatusCode")
            return found if _is_status(found) else None
    return None


def _is_status(found: object) -> TypeGuard[int]:
    return isinstance(found, int) and not isinstance(found, bool) and 300 <= found < 600


def _asked_wait_s(error: BaseException) -> float | None:
    """Seconds from the Retry-After header, a number or an HTTP date; None if it is neither."""
    from email.utils import parsedate_to_datetime

    headers: object = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    told = str(cast("Mapping[str, object]", headers).get("retry-after"))
    try:
        seconds = float(told)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(told).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
