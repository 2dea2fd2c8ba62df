"""The interface of embedding models."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""float32 [n, dim], rows of unit length."""


class Embedder(Protocol):
    """Turns texts into unit vectors; adds the model's own query and passage prefixes."""

    @property
    def model_id(self) -> str:
        """Names model and revision; it must change when the vectors do. A store remembers it."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order; [0, dim] without texts."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row per query, in order; concurrent calls may share a batch."""
        ...


@runtime_checkable
class HoldsConnections(Protocol):
    """A model with connections to close."""

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        ...
