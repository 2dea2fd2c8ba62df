"""Our embedder as langchain-core `Embeddings`: others embed with the very same model."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from langchain_core.embeddings import Embeddings

from secondhop.models.embedder import Embedder

T = TypeVar("T")


class AsLangchain(Embeddings):
    """For use in other threads than that of the event loop, which does the embedding."""

    def __init__(self, embedder: Embedder) -> None:
        """Make it inside the event loop."""
        self._embedder, self._loop = embedder, asyncio.get_running_loop()
        self._storing = False

    @contextmanager
    def storing(self) -> Generator[None]:
        """Within, a "query" is a passage: mem0 embeds what it stores by the query method, and our
        model puts other words before a query."""
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
        """As a recall embeds queries; while `storing`, as a passage."""
        if self._storing:
            return self.embed_documents([text])[0]
        row: list[float] = self._wait(self._embedder.embed_queries([text]))[0].tolist()
        return row

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
