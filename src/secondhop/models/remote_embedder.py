"""What remote embedders share: checks of the vectors, and a dimension learned at first use."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors

Rows: TypeAlias = Sequence[Sequence[float]] | Vectors
"""Vectors as a model returns them: one per text, in order."""


class RemoteEmbedder(ABC):
    """An embedder that may have to ask its model how long a vector is."""

    def __init__(self, model_id: str, *, dimension: int | None = None) -> None:
        self.model_id, self._dimension = model_id, dimension

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises ModelError if it is unknown before the first answer."""
        if self._dimension is None:
            raise ModelError(
                f"the length of {self.model_id}'s vectors is not known yet; await learn_dimension()"
            )
        return self._dimension

    async def learn_dimension(self) -> int:
        """Length of a vector; embeds one word if it is unknown."""
        if self._dimension is None:
            await self.embed_passages(["dimension"])
        return self.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length. Raises ModelError if the model failed, or
        did not return vectors."""
        return await self._embedded(texts, queries=False)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like `embed_passages`, by the model's query method if it has one."""
        return await self._embedded(texts, queries=True)

    @abstractmethod
    async def _rows(self, texts: Sequence[str], *, queries: bool) -> Rows:
        """One row per text, as the model returns it; `texts` is not empty."""

    async def _embedded(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        # a lone surrogate is not UTF-8, and would fail the request
        sent = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        try:
            vectors = self._unit_vectors(await self._rows(sent, queries=queries), count=len(sent))
        except (TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"{self.model_id} did not return vectors: {error}; check that it is an embedding "
                f"model, and where it runs"
            ) from error
        self._dimension = vectors.shape[1]
        return vectors

    def _unit_vectors(self, rows: Rows, *, count: int) -> Vectors:
        """float32 [count, dim], each row scaled to length 1.

        Raises:
            ModelError: wrong number or length of rows, or a row that is all zero or not finite.
        """
        source, dimension = self.model_id, self._dimension
        if len(rows) != count:
            raise ModelError(f"{source} returned {len(rows)} vectors for {count} texts")
        lengths = {len(row) for row in rows}
        if len(lengths) > 1 or 0 in lengths or (dimension is not None and lengths != {dimension}):
            expected = "equally long vectors" if dimension is None else f"length {dimension}"
            found = f"vectors of length {sorted(lengths)}"
            raise ModelError(f"{source} returned {found}, not {expected}")
        vectors = np.asarray(rows, dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(norms)) or np.any(norms == 0.0):
            raise ModelError(f"{source} returned a vector that is zero or not finite")
        scaled: Vectors = (vectors / norms).astype(np.float32)
        return scaled
