"""Reaching an OpenAI-compatible server: clients, retries, and errors that say what to do."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from secondhop.errors import ModelError, UsageError
from secondhop.models.openai_address import (
    OPENAI,
    api_key_of,
    base_url_of,
    checked_base_url,
    checked_key,
    without_login,
)
from secondhop.models.openai_failures import explain
from secondhop.models.retry_policy import Patience, retried

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIConnection:
    """Where a server is, and how patient to be with it."""

    base_url: str | None = field(default=None, repr=False)
    """None: OPENAI_BASE_URL, else OpenAI itself (the SDK's own rule). May hold a password."""
    api_key: str | None = field(default=None, repr=False)
    """None: OPENAI_API_KEY. A local server takes any word."""
    timeout_s: float = 30.0
    """Of one try."""
    attempts: int = 4
    """Tries in all, for failures that may pass: 408, 409, 429, 5xx, timeouts, lost connections."""
    max_wait_s: float = 20.0
    """Longest wait between two tries; a server that asks for more is not waited for."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.timeout_s <= 0 or self.max_wait_s < 0:
            raise UsageError("OpenAIConnection needs attempts >= 1, timeout_s > 0, max_wait_s >= 0")
        # frozen: the one way to keep what was checked, white space off
        object.__setattr__(self, "base_url", checked_base_url(self.base_url))
        object.__setattr__(self, "api_key", checked_key(self.api_key))


class OpenAIClients:
    """One SDK client an event loop: its sockets belong to the loop that opened them.

    Raises:
        UsageError: OPENAI_BASE_URL is no address of a server.
    """

    def __init__(self, connection: OpenAIConnection) -> None:
        base_url_of(connection.base_url)  # a wrong OPENAI_BASE_URL shows here, not in an answer
        self.connection = connection
        self._clients: dict[asyncio.AbstractEventLoop, AsyncOpenAI] = {}
        self._lock = threading.Lock()

    def current(self) -> "AsyncOpenAI":
        """The client of the running loop.

        Raises:
            ModelError: no API key was given and none is in the environment, or one that cannot be
                sent is.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            client = self._clients.get(loop)
            if client is None:
                for closed in [other for other in self._clients if other.is_closed()]:
                    del self._clients[closed]  # its sockets died with it
                client = self._clients[loop] = _new_client(self.connection)
            return client

    async def aclose(self) -> None:
        """Close the running loop's connections; the next call opens new ones."""
        with self._lock:
            client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()


def _new_client(connection: OpenAIConnection) -> "AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

    url, login = without_login(base_url_of(connection.base_url) or OPENAI)
    try:
        return AsyncOpenAI(
            base_url=url,  # without a password: the http client logs the address of each request
            api_key=api_key_of(connection.api_key),
            timeout=connection.timeout_s,
            max_retries=0,  # `retried` does it, and counts
            # The SDK's own http client would close itself on whatever loop runs when it dies.
            # A redirect would carry memories to an address that the user did not name.
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, auth=login),
        )
    except OpenAIError as error:
        raise ModelError(
            "there is no API key for the OpenAI client; set OPENAI_API_KEY (any word for a local "
            "server), or pass api_key"
        ) from error


async def call_with_retries(
    call: Callable[[], Awaitable[T]], *, connection: OpenAIConnection, what: str
) -> T:
    """`call()`, again after failures that may pass; waits as long as Retry-After says.

    Args:
        call: one try.
        what: names the model and the work, for the message.

    Raises:
        ModelError: refused (a wrong key, a wrong request), or failed at every try.
    """
    return await retried(
        call,
        patience=Patience(
            attempts=connection.attempts, longest_wait_s=lambda: connection.max_wait_s
        ),
        what=what,
        explain=lambda error: explain(error, key=api_key_of(connection.api_key)),
    )
