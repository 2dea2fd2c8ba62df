"""Vectors on a Chroma server."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from secondhop.errors import UsageError
from secondhop.stores.rebuild_command import rebuild_command
from secondhop.stores.vectors.chroma_client import ChromaSession, chroma_errors

if TYPE_CHECKING:
    import httpx


class ChromaServer:
    """A `ChromaClient` of a server, which looks after concurrency and damage itself."""

    def __init__(self, url: str, *, store: str) -> None:
        """The vectors of `store`, which is only named in messages.

        Raises:
            UsageError: `url` is not one: Chroma would ask its default server instead.
        """
        self._url, self._address = url, _server_address(url)
        self._cure = rebuild_command(store, server=url)
        self._session: ChromaSession | None = None
        self._http: httpx.Client | None = None
        self._guard = threading.Lock()

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession | None, None, None]:
        """See `ChromaClient`."""
        del name
        with chroma_errors(self._url, cure=self._cure):
            yield self._connected()

    @contextmanager
    def writing(self, name: str, *, adds_bytes: int = 0) -> Generator[ChromaSession, None, None]:
        """See `ChromaClient`."""
        del name, adds_bytes
        with chroma_errors(self._url, cure=self._cure):
            yield self._connected()

    def check_room(self) -> None:
        """See `ChromaClient`. Its disk is the server's."""

    def drop(self, name: str) -> None:
        """See `ChromaClient`."""
        with chroma_errors(self._url, cure=self._cure):
            self._connected().drop(name)

    def compact(self, name: str) -> bool:
        """See `ChromaClient`. Its files are the server's."""
        del name
        return False

    def close(self) -> None:
        """See `ChromaClient`."""
        with self._guard:
            session, self._session = self._session, None
            http, self._http = self._http, None
        if session is not None:
            session.api.stop()
        if http is not None:
            http.close()  # Chroma's client forgets to

    def _connected(self) -> ChromaSession:
        from chromadb.api.fastapi import FastAPI
        from chromadb.config import Settings, System

        with self._guard:
            if self._session is None:
                host, port, secure = self._address
                settings = Settings(
                    anonymized_telemetry=False,
                    chroma_api_impl="chromadb.api.fastapi.FastAPI",
                    chroma_server_host=host,
                    chroma_server_http_port=port,
                    chroma_server_ssl_enabled=secure,
                )
                system = System(settings)
                api = system.instance(FastAPI)
                system.start()
                self._http = vars(api)["_session"]
                self._session = ChromaSession(api)
            return self._session


def server_name(url: str) -> str:
    """The address without user names, passwords and paths.

    Raises:
        UsageError: it is no address of a server.
    """
    host, port, secure = _server_address(url)
    named = f"[{host}]" if ":" in host else host
    return f"{'https' if secure else 'http'}://{named}:{port}"


def _server_address(url: str) -> tuple[str, int, bool]:
    """Host, port, and whether it speaks TLS."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"the Chroma URL {url!r} is none: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"the Chroma URL {url!r} is none; write it as http://HOST:PORT")
    secure = parts.scheme == "https"
    return host, port or (443 if secure else 8000), secure
