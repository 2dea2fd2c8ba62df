"""Vectors on a Chroma server."""

import os
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from secondhop.errors import UsageError
from secondhop.stores.rebuild_command import rebuild_command
from secondhop.stores.records import Vector, Vectors
from secondhop.stores.vectors.chroma_client import (
    ChromaSession,
    DroppedCollectionError,
    chroma_errors,
)

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ServerAPI
    from chromadb.types import Collection as CollectionModel


class ChromaServer:
    """A `ChromaClient` of a server, which looks after concurrency and damage itself."""

    def __init__(self, url: str, *, store: str) -> None:
        """`store` is only named in messages.

        Raises:
            UsageError: `url` is not valid. Chroma would ask its default server instead.
        """
        self._url, self._address = url, _server_address(url)
        self._cure = rebuild_command(store, server=url)
        self._session: ChromaSession | None = None
        self._guard = threading.Lock()

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession, None, None]:
        """See `ChromaClient`."""
        try:
            with chroma_errors(self._url, cure=self._cure):
                yield self._connected()
        except DroppedCollectionError:
            self._connected().expect(name, exists=True)
            raise

    def writing(self, name: str, *, adds_bytes: int = 0) -> AbstractContextManager[ChromaSession]:
        """See `ChromaClient`."""
        del adds_bytes
        return self.reading(name)

    def drop(self, name: str) -> None:
        """See `ChromaClient`."""
        with chroma_errors(self._url, cure=self._cure):
            self._connected().drop(name)

    def compact(self, name: str) -> bool:
        """See `ChromaClient`. Always False, because the files belong to the server."""
        del name
        return False

    def close(self) -> None:
        """See `ChromaClient`."""
        with self._guard:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _connected(self) -> ChromaSession:
        with self._guard:
            if self._session is None:
                self._session = ChromaSession(ServerDatabase(*self._address))
            return self._session


class ServerDatabase:
    """A `ChromaDatabase` on a server, or in Chroma Cloud.

    `CHROMA_API_KEY`, `CHROMA_TENANT` and `CHROMA_DATABASE` work as for Chroma's own client.
    """

    def __init__(self, host: str, port: int, secure: bool) -> None:
        from chromadb.api.fastapi import FastAPI
        from chromadb.auth.token_authn import TokenTransportHeader
        from chromadb.config import DEFAULT_DATABASE, DEFAULT_TENANT, Settings, System

        settings = Settings(
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=host,
            chroma_server_http_port=port,
            chroma_server_ssl_enabled=secure,
        )
        if key := os.environ.get("CHROMA_API_KEY"):
            settings.chroma_client_auth_provider = (
                "chromadb.auth.token_authn.TokenAuthClientProvider"
            )
            settings.chroma_client_auth_credentials = key
            settings.chroma_auth_token_transport_header = TokenTransportHeader.X_CHROMA_TOKEN
        self._tenant = os.environ.get("CHROMA_TENANT", DEFAULT_TENANT)
        self._base = os.environ.get("CHROMA_DATABASE", DEFAULT_DATABASE)
        system = System(settings)
        self._api = system.instance(FastAPI)
        system.start()

    def collection(self, name: str) -> "ServerCollection":
        """See `ChromaDatabase`."""
        return ServerCollection(
            self._api, self._api.get_collection(name, tenant=self._tenant, database=self._base)
        )

    def created(self, name: str, *, hnsw: dict[str, Any]) -> "ServerCollection":
        """See `ChromaDatabase`."""
        configuration: Any = {"hnsw": hnsw}
        made = self._api.get_or_create_collection(
            name, configuration=configuration, tenant=self._tenant, database=self._base
        )
        return ServerCollection(self._api, made)

    def drop(self, name: str) -> None:
        """See `ChromaDatabase`."""
        self._api.delete_collection(name, tenant=self._tenant, database=self._base)

    def close(self) -> None:
        """See `ChromaDatabase`."""
        self._api.stop()
        http: httpx.Client = vars(self._api)["_session"]
        http.close()  # Chroma's client forgets to


class ServerCollection:
    """A `ChromaCollection` on a server."""

    def __init__(self, api: "ServerAPI", model: "CollectionModel") -> None:
        from chromadb.api.models.Collection import Collection

        # no embedding function: Chroma's default one would download a model
        self._collection = Collection(api, model, embedding_function=None)
        self.dimension: int | None = model.dimension

    def count(self) -> int:
        """See `ChromaCollection`."""
        return self._collection.count()

    def ids(self) -> list[str]:
        """See `ChromaCollection`."""
        return self._collection.get(include=[])["ids"]

    def vectors(self, ids: list[str]) -> dict[str, Vector]:
        """See `ChromaCollection`."""
        found = self._collection.get(ids=ids, include=["embeddings"])
        rows = np.asarray(found["embeddings"], dtype=np.float32)
        return dict(zip(found["ids"], rows, strict=True))

    def nearest(self, queries: Vectors, *, k: int) -> list[tuple[list[str], list[float]]]:
        """See `ChromaCollection`."""
        found = self._collection.query(
            query_embeddings=np.asarray(queries, dtype=np.float32),
            n_results=k,
            include=["distances"],
        )
        return list(zip(found["ids"], found["distances"] or [], strict=True))

    def upsert(self, ids: list[str], vectors: Vectors) -> None:
        """See `ChromaCollection`."""
        self._collection.upsert(ids=ids, embeddings=vectors)

    def delete(self, ids: list[str]) -> None:
        """See `ChromaCollection`."""
        self._collection.delete(ids=ids)

    def rename(self, name: str) -> None:
        """See `ChromaCollection`."""
        self._collection.modify(name=name)


def server_name(url: str) -> str:
    """The address without user names, passwords and paths.

    Raises:
        UsageError: it is not the address of a server.
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
        raise UsageError(f"the Chroma URL {url!r} is not valid: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"the Chroma URL {url!r} is not valid; write it as http://HOST:PORT")
    secure = parts.scheme == "https"
    return host, port or (443 if secure else 8000), secure
