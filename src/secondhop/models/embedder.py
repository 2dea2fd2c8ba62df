"""The interface of embedding models."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""float32 [n, dim], rows of unit length."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Query and passage prefixes are the adapter's own business."""

    @property
    def model_id(self) -> str:
        """Names the model and its revision: other vectors, another id. A store remembers it."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in order; [0, dim] for no text."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row a query, in order; concurrent calls may share a batch."""
        ...


@runtime_checkable
class HoldsConnections(Protocol):
    """An embedder with connections to close."""

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        ...
