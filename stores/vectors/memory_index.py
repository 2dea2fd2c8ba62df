"""Vectors in RAM, searched exactly: of what a host's retriever found in one recall."""

from collections.abc import Sequence

import numpy as np

from secondhop.stores.records import Vector, Vectors


class MemoryIndex:
    """A `VectorIndex` that compares every vector; gone when the process ends."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vector] = {}

    async def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """See `VectorIndex`."""
        ids = sorted(self._vectors)
        if not ids:
            return [[] for _ in queries]
        # rounded, because the last bit of a product depends on its place in the matrix
        cosines = np.round(np.asarray(queries) @ np.stack([self._vectors[i] for i in ids]).T, 6)
        # stable: equal cosines keep the order of the ids
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
        return [
            [(ids[place], float(row[place])) for place in places]
            for row, places in zip(cosines, order, strict=True)
        ]

    async def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `VectorIndex`."""
        return {i: self._vectors[i] for i in passage_ids if i in self._vectors}

    async def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """See `VectorIndex`."""
        copies = np.array(vectors, dtype=np.float32)
        self._vectors.update(zip(passage_ids, copies, strict=True))

    async def remove(self, passage_ids: Sequence[str]) -> None:
        """See `VectorIndex`."""
        for passage_id in passage_ids:
            self._vectors.pop(passage_id, None)

    async def ids(self) -> set[str]:
        """See `VectorIndex`."""
        return set(self._vectors)

    async def count(self) -> int:
        """See `VectorIndex`."""
        return len(self._vectors)

    async def compact(self) -> bool:
        """See `VectorIndex`. There is no file."""
        return True

    async def drop(self) -> None:
        """See `VectorIndex`."""
        self._vectors.clear()
