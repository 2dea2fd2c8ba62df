"""Any LangChain `Embeddings` as an embedder."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from secondhop.models.failure_messages import excerpt
from secondhop.models.langchain_llm import derived_id, without_secrets
from secondhop.models.remote_embedder import RemoteEmbedder, Rows
from secondhop.models.retry_policy import retried

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

T = TypeVar("T")

_QUERIES_AT_ONCE = 8


class LangchainEmbedder(RemoteEmbedder):
    """Adapts langchain-core `Embeddings` by its async methods, which fall back to threads."""

    def __init__(self, embeddings: "Embeddings", *, model_id: str | None = None) -> None:
        """The default `model_id` is "langchain:<class>:<model>", from the object's attributes.

        Raises:
            UsageError: `model_id` is missing, and the object does not say which model it is.
        """
        super().__init__(model_id or derived_id(embeddings, adapter=type(self)))
        self._embeddings = embeddings

    async def _rows(self, texts: Sequence[str], *, queries: bool) -> Rows:
        if not queries:
            return await self._translated(lambda: self._embeddings.aembed_documents(list(texts)))
        gate = asyncio.Semaphore(_QUERIES_AT_ONCE)

        async def one(text: str) -> list[float]:
            async with gate:
                return await self._translated(lambda: self._embeddings.aembed_query(text))

        return await asyncio.gather(*(one(text) for text in texts))

    async def _translated(self, call: Callable[[], Awaitable[T]]) -> T:
        """What `call` returns; one try, because the embeddings have retries of their own."""
        return await retried(
            call,
            attempts=1,
            longest_wait_s=lambda: 0.0,
            what=f"embedding with {self.model_id}",
            explain=self._explain,
        )

    def _explain(self, error: Exception) -> str:
        said = excerpt(str(error), lambda text: without_secrets(text, self._embeddings))
        return f"{type(error).__name__}: {said}"
