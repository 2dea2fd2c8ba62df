"""Vectors in Chroma: only ids and vectors, in collections of one entity and generation each.

Why not one collection with a filter? At 100,000 passages a filter costs 56 ms per query, and
forgetting it once shows one entity the memories of another.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import pairwise
from typing import ParamSpec, TypeVar

import numpy as np

from secondhop.errors import StoreError
from secondhop.stores.catalog.catalog import Identity
from secondhop.stores.entity_names import entity_digest
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.manifest import Manifest
from secondhop.stores.records import Vector, Vectors
from secondhop.stores.vectors.apart import (
    SPARE,
    cosine_scale,
    with_patterns,
    with_zeros,
    without_patterns,
)
from secondhop.stores.vectors.chroma_client import (
    ChromaClient,
    ChromaCollection,
    DroppedCollectionError,
    UnloadedIndexError,
)

_BATCH = 500
"""The most vectors in one call."""


P = ParamSpec("P")
T = TypeVar("T")


def tried_twice(call: Callable[P, T]) -> Callable[P, T]:
    """Call it once more if Chroma had lost the index or the collection, which is then loaded or
    looked up again."""

    @wraps(call)
    def again(*args: P.args, **named: P.kwargs) -> T:
        try:
            return call(*args, **named)
        except (UnloadedIndexError, DroppedCollectionError):
            return call(*args, **named)

    return again


def by_cosine(
    ids: Sequence[str], distances: Sequence[float], *, scale: float
) -> list[tuple[str, float]]:
    """(id, cosine), nearest first; ties by id."""
    cosines = [round((1.0 - distance) * scale, 6) for distance in distances]
    hits = list(zip(ids, cosines, strict=True))
    if any(first <= second for first, second in pairwise(cosines)):
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
    return hits


class ChromaVectors:
    """A `VectorIndex` in one collection. Reading creates nothing; the first upsert does."""

    def __init__(
        self, client: ChromaClient, *, name: Callable[[], str | None], dimension: int
    ) -> None:
        """`name` returns the collection's name, or None until the store exists."""
        self._client = client
        self._name, self._dimension = name, dimension

    @in_a_thread
    @tried_twice
    def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """See `VectorIndex`."""
        with self._reading() as collection:
            if collection is None or not len(queries):
                return [[] for _ in queries]
            spare = self._spare(collection)
            found = collection.nearest(with_zeros(queries, spare), k=k)
        scale = cosine_scale(spare)
        return [by_cosine(ids, distances, scale=scale) for ids, distances in found]

    @in_a_thread
    @tried_twice
    def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `VectorIndex`."""
        wanted = list(dict.fromkeys(passage_ids))
        stored: dict[str, Vector] = {}
        with self._reading() as collection:
            if collection is None:
                return {}
            for start in range(0, len(wanted), _BATCH):
                stored.update(collection.vectors(wanted[start : start + _BATCH]))
        if not stored:
            return {}
        vectors = without_patterns(np.stack([*stored.values()]), self._dimension)
        return dict(zip(stored, vectors, strict=True))

    async def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """See `VectorIndex`. In parts, so that readers need not wait for a big write."""
        for start in range(0, len(passage_ids), _BATCH):
            part = slice(start, start + _BATCH)
            await self._upsert(list(passage_ids[part]), vectors[part])

    async def remove(self, passage_ids: Sequence[str]) -> None:
        """See `VectorIndex`. In parts, as `upsert`."""
        for start in range(0, len(passage_ids), _BATCH):
            await self._remove(list(passage_ids[start : start + _BATCH]))

    @in_a_thread
    @tried_twice
    def ids(self) -> set[str]:
        """See `VectorIndex`."""
        with self._reading() as collection:
            return set(collection.ids()) if collection is not None else set()

    @in_a_thread
    @tried_twice
    def count(self) -> int:
        """See `VectorIndex`."""
        with self._reading() as collection:
            return collection.count() if collection is not None else 0

    @in_a_thread
    def compact(self) -> bool:
        """See `VectorIndex`."""
        name = self._name()
        return name is None or self._client.compact(name)

    @in_a_thread
    def drop(self) -> None:
        """See `VectorIndex`."""
        if (name := self._name()) is not None:
            self._client.drop(name)

    @in_a_thread
    @tried_twice
    def _remove(self, passage_ids: list[str]) -> None:
        name = self._existing_name()
        with self._client.writing(name) as session:
            collection = session.collection(name)
            if collection is not None:
                collection.delete(passage_ids)

    @in_a_thread
    @tried_twice
    def _upsert(self, passage_ids: list[str], vectors: Vectors) -> None:
        name = self._existing_name()
        with self._client.writing(name, adds_bytes=vectors.nbytes) as session:
            collection = session.created(name)
            is_wide = self._spare(collection) > 0
            rows = with_patterns(passage_ids, vectors) if is_wide else vectors
            collection.upsert(passage_ids, rows)

    @contextmanager
    def _reading(self) -> Generator[ChromaCollection | None, None, None]:
        name = self._name()
        if name is None:
            yield None
            return
        with self._client.reading(name) as session:
            yield session.collection(name) if session else None

    def _spare(self, collection: ChromaCollection) -> int:
        """How many numbers its vectors have beyond their own; 0 in those of an older secondhop."""
        return SPARE if collection.dimension is None else collection.dimension - self._dimension

    def _existing_name(self) -> str:
        name = self._name()
        if name is None:
            raise StoreError(
                "vectors cannot be stored before the store exists: store.json is missing"
            )
        return name


class CollectionNames:
    """The names of one store's collections, in a Chroma that several stores may share."""

    def __init__(self, manifest: Callable[[], Manifest | None]) -> None:
        self._manifest = manifest
        self._store_id: str | None = None

    def of(self, identity: Identity, *, ending: str = "") -> Callable[[], str | None]:
        """A function that returns the name of a collection, or None until the store exists.

        It is called at every use, because the store may be created after the entity was opened.
        """
        rest = f"{entity_digest(identity.entity)[:32]}.{identity.generation}{ending}"

        def name() -> str | None:
            if self._store_id is None:
                manifest = self._manifest()
                self._store_id = manifest.store_id if manifest else None
            return None if self._store_id is None else f"{self._store_id[:12]}-{rest}"

        return name
