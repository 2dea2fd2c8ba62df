"""Connects to an OpenAI-compatible server: addresses, keys, clients, clear errors.

No message holds the key, or a password from the address.
"""

import asyncio
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from secondhop.errors import ModelError, UsageError
from secondhop.models.chat_transport import RepeatAtOnceError
from secondhop.models.failure_messages import excerpt, kind_of_failure, without_key
from secondhop.models.retry_policy import Timeouts, TryTimedOutError

if TYPE_CHECKING:
    from httpx import URL
    from openai import APIStatusError, AsyncOpenAI

OPENAI = "https://api.openai.com/v1"
"""Given explicitly, because the SDK would take an empty OPENAI_BASE_URL for an address."""


NO_KEY = (
    "there is no API key for the OpenAI client; set OPENAI_API_KEY (any word for a local "
    "server), or pass api_key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIConnection(Timeouts):
    """Where a server is, and its timeouts and retries."""

    base_url: str | None = field(default=None, repr=False)
    """None: OPENAI_BASE_URL, else OpenAI itself (the SDK's own rule). May hold a password."""
    api_key: str | None = field(default=None, repr=False)
    """None: OPENAI_API_KEY. A local server takes any word."""

    def __post_init__(self) -> None:
        Timeouts.__post_init__(self)  # super() knows no class with slots
        address_of(self.base_url)


class OpenAIClients:
    """One SDK client per event loop, because sockets belong to the loop that opened them. Raises
    UsageError if OPENAI_BASE_URL is not the address of a server."""

    def __init__(self, connection: OpenAIConnection) -> None:
        base_url_of(connection.base_url)  # raises for a wrong OPENAI_BASE_URL now, not later
        self.connection = connection
        self._clients: dict[asyncio.AbstractEventLoop, AsyncOpenAI] = {}
        self._lock = threading.Lock()

    def current(self) -> "AsyncOpenAI":
        """The client of the running loop. Raises ModelError if no API key was given, and none is in
        the environment."""
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
    from httpx import URL
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

    url = URL(base_url_of(connection.base_url) or OPENAI)
    login = (url.username, url.password) if url.userinfo else None
    try:
        return AsyncOpenAI(
            # without the password, because the http client logs the address of each request
            base_url=str(url.copy_with(userinfo=b"")),
            api_key=api_key_of(connection.api_key),
            timeout=connection.timeout_s,
            max_retries=0,  # `retry_policy` retries and counts
            # The SDK's own http client would close itself on whatever loop runs when it dies.
            # A redirect would carry memories to an address that the user did not name.
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, auth=login),
        )
    except OpenAIError as error:
        raise ModelError(NO_KEY) from error


def explain(error: Exception, *, key: str | None) -> str:
    """What happened and what to do; if the server repeats the key, it becomes "…"."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

    if isinstance(error, RepeatAtOnceError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    if isinstance(error, (TryTimedOutError, APITimeoutError)):
        return "no answer in time; raise timeout_s, or check the server"
    if isinstance(error, APIConnectionError):
        return f"no connection ({kind_of_failure(error)}); check base_url and the network"
    if isinstance(error, APIStatusError) and error.status_code < 400:
        return (
            f"HTTP {error.status_code}: the server redirects{_target(error)}, but redirects are "
            f"not followed; set base_url to the address it redirects to"
        )
    if isinstance(error, APIStatusError):
        advice = {
            401: "check the API key",
            403: "check what the API key is allowed to do",
            404: "check the model's name and base_url",
            429: "slow down, or raise the quota",
        }.get(error.status_code, "see the server's message")
        said = excerpt(_said(error), partial(without_key, key=key))
        return f"HTTP {error.status_code}, {advice}: {said}"
    if isinstance(error, UnicodeEncodeError):  # it can only be the key: `sendable` cleans the rest
        return "the API key holds a character that cannot be sent; copy it again"
    if isinstance(error, OpenAIError):
        return excerpt(str(error), partial(without_key, key=key))
    return f"it did not answer in the OpenAI protocol ({kind_of_failure(error)}); check base_url"


def _said(error: "APIStatusError") -> str:
    """The server's own message, without the dictionary around it."""
    if isinstance(error.body, dict):
        told: object = cast("dict[str, object]", error.body).get("message")
        if isinstance(told, str) and told:
            return told
    return error.message


def _target(error: "APIStatusError") -> str:
    """Where a redirect leads, as " to HOST/PATH" without secrets; "" if it is unknown."""
    from httpx import InvalidURL

    try:
        place = place_of(error.response.headers.get("location", ""))
    except InvalidURL:
        return ""
    return f" to {place}" if place else ""


def address_of(given: str | None) -> "URL | None":
    """The address of a server, without spaces around it; None if none is given.

    Raises:
        UsageError: it is not of the form http(s)://HOST[:PORT][/PATH].

    >>> str(address_of(" http://localhost:11434/v1 "))
    'http://localhost:11434/v1'
    """
    url = (given or "").strip()
    if not url:
        return None
    from httpx import URL, InvalidURL

    with suppress(InvalidURL):  # its message may hold a part of a password
        address = URL(url)
        if address.scheme in ("http", "https") and address.host:
            return address
    raise UsageError(
        "the address of the model's server is not valid; write it like http://localhost:11434/v1"
    )


def place_of(base_url: str) -> str:
    """Host, port and path of an address, for names and messages; leaves out a password.

    >>> place_of("https://me:secret@models.acme.com:8000/v1/?key=secret")
    'models.acme.com:8000/v1'
    """
    from httpx import URL

    address = URL(base_url)
    return address.netloc.decode() + address.path.rstrip("/")


def base_url_of(given: str | None) -> str | None:
    """The server's address: `given`, else OPENAI_BASE_URL; None: OpenAI itself. Raises UsageError
    if it is not a valid address."""
    address = address_of(given) or address_of(os.environ.get("OPENAI_BASE_URL"))
    return None if address is None else str(address)


def api_key_of(given: str | None) -> str | None:
    """The key: `given`, else OPENAI_API_KEY, without white space around it; None without either."""
    return (given or "").strip() or os.environ.get("OPENAI_API_KEY", "").strip() or None


def expect_key(spec: str) -> None:
    """Raises ModelError if the model needs an OpenAI key and the environment has none."""
    if spec.startswith("openai:") and api_key_of(None) is None:
        raise ModelError(NO_KEY)
