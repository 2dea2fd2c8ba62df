"""What a failed try says, whichever library raised it: may it pass, and is anybody there?

Clients of model servers have little in common: an HTTP status, a Retry-After header, the names of
their errors. That is read here, along the chain of causes, for adapters wrap each other's errors.
"""

import email.utils
import math
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard, cast

from secondhop.models.failure_words import causes, kind_of_failure

_MAY_PASS = frozenset({408, 409, 429})
"""And every status from 500 on."""
_NOBODY_THERE = frozenset({502, 503, 504})
"""A proxy's words for a server that is not there."""
_GATEWAY_TIMEOUT = 504
"""The server behind the proxy may have worked, and may charge for it."""
_STATUS_NAMES = ("status_code", "http_status", "code", "status")
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
"""Names of classes, their bases included, that mean a lost or late connection."""
_STALE = "Event loop is closed"
"""asyncio's words. Some clients (langchain-openai's) share connections between event loops."""


class TryTimedOutError(Exception):
    """Internal to the adapters: one try took longer than a try may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTry:
    """What is known of one try that brought no answer."""

    status: int | None
    """Of HTTP; None: no response came, or the error is not about one."""
    lost: bool
    """The connection broke, was refused or took too long."""
    stale: bool
    """The connection was of an event loop that is closed: nothing was sent, another is opened."""
    asked_wait_s: float | None
    """How long the server wants the next try to wait."""
    hopeless: bool
    """A quota that no waiting refills."""

    @property
    def may_pass(self) -> bool:
        """Whether another try may fare better: 408, 409, 429, 5xx, lost and stale connections."""
        if self.status is None:
            return self.lost or self.stale
        return not self.hopeless and (self.status in _MAY_PASS or self.status >= 500)

    @property
    def answered(self) -> bool | None:
        """Whether the server has shown itself alive; None: the error does not tell."""
        if self.status is not None:
            return self.status not in _NOBODY_THERE
        return False if self.lost else None

    @property
    def was_free(self) -> bool:
        """Whether the server refused before it did anything that it could charge for."""
        return self.stale or (self.status is not None and self.status != _GATEWAY_TIMEOUT)


def failed_try(error: BaseException) -> FailedTry:
    """What an error says of the try that raised it."""
    status, asked_wait_s, hopeless = None, None, False
    for cause in causes(error):
        if (status := _status(cause)) is not None:
            asked_wait_s = _asked_wait_s(cause)
            hopeless = getattr(cause, "code", None) == "insufficient_quota"
            break
    stale = status is None and any(_is_stale(cause) for cause in causes(error))
    lost = status is None and not stale and any(_is_lost(cause) for cause in causes(error))
    return FailedTry(
        status=status, lost=lost, stale=stale, asked_wait_s=asked_wait_s, hopeless=hopeless
    )


def why_unanswered(error: BaseException) -> str:
    """Why there was no answer, for those who come after: "HTTP 503", "no answer in time"."""
    found = failed_try(error)
    if found.status is not None:
        return f"HTTP {found.status}"
    names = {base.__name__ for cause in causes(error) for base in type(cause).__mro__}
    late = any("timeout" in name.casefold() or "timedout" in name.casefold() for name in names)
    return "no answer in time" if late else kind_of_failure(error)


def _status(error: BaseException) -> int | None:
    """The HTTP status that an error carries, itself or in its response."""
    response: object = getattr(error, "response", None)
    for holder in (error, response):
        for name in _STATUS_NAMES:
            if _is_status(found := getattr(holder, name, None)):
                return found
    if isinstance(response, Mapping):  # botocore's
        about = cast("Mapping[str, object]", response).get("ResponseMetadata")
        if isinstance(about, Mapping):
            found = cast("Mapping[str, object]", about).get("HTTPStatusCode")
            return found if _is_status(found) else None
    return None


def _is_status(found: object) -> TypeGuard[int]:
    return isinstance(found, int) and not isinstance(found, bool) and 400 <= found < 600


def _is_lost(error: BaseException) -> bool:
    names = {base.__name__ for base in type(error).__mro__}
    return isinstance(error, _LOST) or bool(names & _LOST_NAMES)


def _is_stale(error: BaseException) -> bool:
    return isinstance(error, RuntimeError) and str(error) == _STALE


def _asked_wait_s(error: BaseException) -> float | None:
    """Seconds the server asks to wait, from its header: a number or an HTTP date."""
    headers: object = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    text = cast("Mapping[str, object]", headers).get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(str(text))
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass  # then it is a date
    try:
        return max(0.0, email.utils.parsedate_to_datetime(str(text)).timestamp() - time.time())
    except ValueError:
        return None
