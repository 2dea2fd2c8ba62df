"""What embedders of other people's models share: checked rows, a dimension that is learned."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors
from secondhop.models.unit_vectors import Rows, unit_vectors


class RemoteEmbedder(ABC):
    """An embedder that may have to ask its model how long a vector is."""

    def __init__(self, model_id: str, *, dimension: int | None = None) -> None:
        self._model_id, self._dimension = model_id, dimension

    @property
    def model_id(self) -> str:
        """As given."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Length of a vector.

        Raises:
            ModelError: not known before the first answer.
        """
        if self._dimension is None:
            raise ModelError(
                f"the length of {self.model_id}'s vectors is not known yet; await learn_dimension()"
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
        return await self._embedded(texts, queries=False)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages, through the model's query method where it has one."""
        return await self._embedded(texts, queries=True)

    @abstractmethod
    async def _rows(self, texts: Sequence[str], *, queries: bool) -> Rows:
        """One row a text, as the model returns it; there is at least one text."""

    async def _embedded(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        # a lone surrogate is no UTF-8, and would fail the request
        sent = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        try:
            vectors = unit_vectors(
                await self._rows(sent, queries=queries),
                count=len(sent),
                dimension=self._dimension,
                source=self.model_id,
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"{self.model_id} did not return vectors: {error}; check that it is an embedding "
                f"model, and where it runs"
            ) from error
        self._dimension = vectors.shape[1]
        return vectors
