"""Dependencies of the routes: who calls, and the memory that the caller may use."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path as FolderPath
from typing import Annotated, TypeAlias
from urllib.parse import unquote
from weakref import WeakValueDictionary

from fastapi import Depends, Path, Request
from pydantic import BeforeValidator
from starlette.exceptions import HTTPException

from secondhop.errors import ReadOnlyStoreError
from secondhop.models.embedder import Embedder
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.server.metrics import Metrics
from secondhop.server.tokens import Scope, Token
from secondhop.stores.entity_names import LONGEST_ENTITY
from secondhop.stores.store_address import files_of

EntityName = Annotated[
    str,
    BeforeValidator(unquote),
    Path(min_length=1, max_length=LONGEST_ENTITY, description="Whose memory.", examples=["mara"]),
]
"""The entity in a path. The gate leaves it percent-encoded, so it is decoded here, once."""


class Served:
    """What the routes of one server share."""

    def __init__(
        self, recalls: RecallPool, *, store: str | FolderPath, embedder: Embedder, metrics: Metrics
    ) -> None:
        """`store`: the store's folder or address; `embedder`: shared by all memories."""
        self.recalls, self.store, self.metrics = recalls, store, metrics
        self._embedder, self._is_ready = embedder, False
        self._uploads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def ready(self) -> None:
        """Check that the store is there, and load the embedding model on the first call.

        Raises:
            StoreUnavailableError: the store's folder is gone.
            ReadOnlyStoreError: it cannot be written.
            ModelError: the model cannot be loaded.
        """
        self.recalls.expect_store()
        folder = files_of(self.store)
        if folder.exists() and not os.access(folder, os.W_OK):
            raise ReadOnlyStoreError(f"{folder} cannot be written; make it writable")
        if not self._is_ready:
            await self._embedder.embed_queries(["ready"])
            self._is_ready = True

    @asynccontextmanager
    async def uploading(self, entity: str) -> AsyncGenerator[None, None]:
        """Let one upload at a time into an entity."""
        lock = self._uploads.setdefault(entity, asyncio.Lock())
        async with lock:
            yield


async def served(request: Request) -> Served:
    """What the app's routes share. Async, because FastAPI runs plain functions in a thread."""
    found: Served = request.app.state.served
    return found


async def caller(request: Request) -> Token:
    """The token that the gate found for the request."""
    found: Token = request.state.caller
    return found


def expect(token: Token, scope: Scope, *, entity: str | None = None) -> None:
    """Raise HTTPException 403 unless the token opens `entity` and includes `scope`.

    The error does not say whether the entity exists.
    """
    if entity is not None and not token.opens(entity):
        raise HTTPException(403, "this token is for another entity")
    if not token.allows(scope):
        raise HTTPException(403, f"this token has scope {token.scope}; this needs {scope}")


Server: TypeAlias = Annotated[Served, Depends(served)]
Caller: TypeAlias = Annotated[Token, Depends(caller)]


def opened(scope: Scope) -> Callable[..., AsyncGenerator[Recall, None]]:
    """A dependency: the memory of the path's entity, for one request that needs this scope."""

    async def memory(
        server: Server, caller: Caller, entity: EntityName
    ) -> AsyncGenerator[Recall, None]:
        expect(caller, scope, entity=entity)
        async with server.recalls.recall(entity) as recall:
            yield recall

    return memory


Readable: TypeAlias = Annotated[Recall, Depends(opened("read"))]
Writable: TypeAlias = Annotated[Recall, Depends(opened("write"))]
