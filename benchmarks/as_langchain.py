"""Our embedder as langchain-core `Embeddings`, so that other systems use the same model."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from langchain_core.embeddings import Embeddings

from secondhop.models.embedder import Embedder

T = TypeVar("T")


class AsLangchain(Embeddings):
    """Call it from threads other than that of the event loop, which does the embedding."""

    def __init__(self, embedder: Embedder) -> None:
        """Must be created inside the event loop."""
        self._embedder, self._loop = embedder, asyncio.get_running_loop()
        self._storing = False

    @contextmanager
    def storing(self) -> Generator[None]:
        """Inside the block, `embed_query` embeds a passage. mem0 embeds what it stores with the
        query method, but our model uses another prefix for queries."""
        self._storing = True
        try:
            yield
        finally:
            self._storing = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As our store embeds passages."""
        rows: list[list[float]] = self._wait(self._embedder.embed_passages(texts)).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """As a recall embeds queries; inside `storing`, as a passage."""
        if self._storing:
            return self.embed_documents([text])[0]
        row: list[float] = self._wait(self._embedder.embed_queries([text]))[0].tolist()
        return row

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
