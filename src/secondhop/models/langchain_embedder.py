"""Any langchain-core `Embeddings` as an embedder: the host's own model, or one of its many."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors
from secondhop.models.failure_messages import excerpt
from secondhop.models.langchain_model import derived_id, without_secrets
from secondhop.models.retry_policy import failure_of
from secondhop.models.unit_vectors import unit_vectors

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

T = TypeVar("T")

_QUERIES_AT_ONCE = 8


class LangchainEmbedder:
    """Adapts langchain-core `Embeddings`: through its async methods, which fall back to threads.

    Prefixes are for models that want them and whose adapter does not add them.
    """

    def __init__(
        self,
        embeddings: "Embeddings",
        *,
        model_id: str | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        dimension: int | None = None,
    ) -> None:
        """Without `model_id` it is "langchain:<class>:<model>", from the object's model attribute.

        Raises:
            UsageError: no `model_id`, and the object does not tell its model.
        """
        self._embeddings = embeddings
        self._model_id = model_id or derived_id(embeddings)
        self._query_prefix, self._passage_prefix = query_prefix, passage_prefix
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """As given, or derived from the class and its model attribute."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Length of a vector.

        Raises:
            ModelError: not known before the first answer, unless it was given.
        """
        if self._dimension is None:
            raise ModelError(
                f"the length of {self._model_id}'s vectors is not known yet; "
                f"await learn_dimension(), or give `dimension`"
            )
        return self._dimension

    async def learn_dimension(self) -> int:
        """Length of a vector; embeds one word when it is not known."""
        if self._dimension is None:
            await self.embed_passages(["dimension"])
        return self.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length.

        Raises:
            ModelError: the model failed, or returned something that is not vectors.
        """
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        prefixed = [_sendable(self._passage_prefix + text) for text in texts]
        rows = await self._translated(lambda: self._embeddings.aembed_documents(prefixed))
        return self._checked(rows, count=len(texts))

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages, through the model's query method, up to 8 at a time."""
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        gate = asyncio.Semaphore(_QUERIES_AT_ONCE)

        async def one(text: str) -> list[float]:
            async with gate:
                return await self._translated(lambda: self._embeddings.aembed_query(text))

        rows = await asyncio.gather(*(one(_sendable(self._query_prefix + text)) for text in texts))
        return self._checked(rows, count=len(texts))

    def _checked(self, rows: Sequence[Sequence[float]], *, count: int) -> Vectors:
        try:
            vectors = unit_vectors(
                rows, count=count, dimension=self._dimension, source=self._model_id
            )
        except (TypeError, ValueError) as error:
            raise ModelError(f"{self._model_id} did not return vectors: {error}") from error
        self._dimension = vectors.shape[1]
        return vectors

    async def _translated(self, call: Callable[[], Awaitable[T]]) -> T:
        """What the model says; its failures as ours, after stale connections have been passed."""
        for left in reversed(range(_QUERIES_AT_ONCE + 1)):
            try:
                return await call()
            except Exception as error:  # a foreign class raises what it likes: named, not swallowed
                if left and failure_of(error).at_once:
                    continue  # each of them is met once, and dropped
                said = excerpt(str(error), lambda text: without_secrets(text, self._embeddings))
                failed = f"embedding with {self._model_id} failed: {type(error).__name__}: {said}"
                raise ModelError(failed) from error
        raise AssertionError("unreachable: the last try returns or raises")


def _sendable(text: str) -> str:
    """With "?" for half characters: a lone surrogate is no UTF-8, and would fail the request."""
    return text.encode("utf-8", "replace").decode("utf-8")
