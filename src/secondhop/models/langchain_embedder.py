"""Any LangChain `Embeddings` as an embedder."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from secondhop.errors import ModelError
from secondhop.models.failure_messages import excerpt
from secondhop.models.langchain_llm import derived_id, without_secrets
from secondhop.models.remote_embedder import RemoteEmbedder, Rows
from secondhop.models.retry_policy import failure_of

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

T = TypeVar("T")

_QUERIES_AT_ONCE = 8


class LangchainEmbedder(RemoteEmbedder):
    """Adapts langchain-core `Embeddings`: through its async methods, which fall back to threads."""

    def __init__(self, embeddings: "Embeddings", *, model_id: str | None = None) -> None:
        """Without `model_id` it is "langchain:<class>:<model>", from the object's model attribute.

        Raises:
            UsageError: no `model_id`, and the object does not tell its model.
        """
        super().__init__(model_id or derived_id(embeddings))
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
        """What the model says; its failures as ours, after stale connections have been passed."""
        for left in reversed(range(_QUERIES_AT_ONCE + 1)):
            try:
                return await call()
            except Exception as error:  # a foreign class raises what it likes: named, not swallowed
                if left and failure_of(error).at_once:
                    continue  # each of them is met once, and dropped
                said = excerpt(str(error), lambda text: without_secrets(text, self._embeddings))
                failed = f"embedding with {self.model_id} failed: {type(error).__name__}: {said}"
                raise ModelError(failed) from error
        raise AssertionError("unreachable: the last try returns or raises")
