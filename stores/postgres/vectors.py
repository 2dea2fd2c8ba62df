"""Vectors in PostgreSQL, with pgvector.

A search compares every vector of the entity (there is no approximate index). So it is exact,
whatever the other entities hold, and takes 0.5 ms of CPU for 1,000 vectors. Entities of more than a
few thousand memories are better kept on a Chroma server.
"""

from collections.abc import Sequence
from typing import Any, LiteralString

import numpy as np
import psycopg

from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.postgres.adapters import VectorBytes
from secondhop.stores.postgres.server import PostgresServer
from secondhop.stores.records import Vector, Vectors

_HEAD_BYTES = 4
"""The dimension and two unused bytes, before the numbers."""
_NEAREST = (
    "SELECT id, -(vector <#> %b) FROM vectors WHERE collection = %s "
    "ORDER BY vector <#> %b, id LIMIT %s"
)
_COUNT = "SELECT count(*) FROM vectors WHERE collection = %s"
_IDS = "SELECT id FROM vectors WHERE collection = %s"
_FETCH = "SELECT id, vector FROM vectors WHERE collection = %s AND id = ANY(%s)"
_REMOVE = "DELETE FROM vectors WHERE collection = %s AND id = ANY(%s)"
_DROP = "DELETE FROM vectors WHERE collection = %s"
_PUT = (
    "INSERT INTO vectors (collection, id, vector) VALUES (%s, %s, %b) "
    "ON CONFLICT (entity, collection, id) DO UPDATE SET vector = excluded.vector"
)


def _sent(vector: Vector) -> VectorBytes:
    """The vector in pgvector's binary form."""
    head = np.array([len(vector), 0], dtype=">u2").tobytes()
    return VectorBytes(head + vector.astype(">f4").tobytes())


class PostgresVectors:
    """A `VectorIndex` in the table `vectors`: rows of one entity, under one name."""

    def __init__(self, server: PostgresServer, entity: str, *, collection: str) -> None:
        """
        Args:
            entity: its name in the rows (`entity_slug`).
            collection: which of the entity's vectors: generation, and passages or cues.
        """
        self._server, self._entity, self._collection = server, entity, collection

    @in_a_thread
    def nearest(self, queries: Vectors, *, k: int) -> list[list[tuple[str, float]]]:
        """See `VectorIndex`."""
        if not self._server.has_vectors():
            return [[] for _ in queries]
        with self._server.transaction(self._entity, writes=False) as connection:
            with connection.pipeline():
                asked = [
                    _reader(connection).execute(_NEAREST, (row, self._collection, row, k))
                    for row in map(_sent, queries)
                ]
            found = [[(one, round(score, 6)) for one, score in cursor] for cursor in asked]
        return [sorted(hits, key=lambda hit: (-hit[1], hit[0])) for hits in found]

    @in_a_thread
    def fetch(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `VectorIndex`."""
        rows = self._read(_FETCH, list(dict.fromkeys(passage_ids)))
        return {
            one: np.frombuffer(vector, dtype=">f4", offset=_HEAD_BYTES).astype(np.float32)
            for one, vector in rows
        }

    @in_a_thread
    def upsert(self, passage_ids: Sequence[str], vectors: Vectors) -> None:
        """See `VectorIndex`."""
        own, pairs = self._collection, zip(passage_ids, vectors, strict=True)
        self._write(_PUT, [(own, one, _sent(vector)) for one, vector in pairs])

    @in_a_thread
    def remove(self, passage_ids: Sequence[str]) -> None:
        """See `VectorIndex`."""
        self._write(_REMOVE, [(self._collection, list(passage_ids))])

    @in_a_thread
    def ids(self) -> set[str]:
        """See `VectorIndex`."""
        return {one for (one,) in self._read(_IDS)}

    @in_a_thread
    def count(self) -> int:
        """See `VectorIndex`."""
        return sum(count for (count,) in self._read(_COUNT))

    async def compact(self) -> bool:
        """See `VectorIndex`. PostgreSQL's vacuum does it at a time of its own."""
        return True

    @in_a_thread
    def drop(self) -> None:
        """See `VectorIndex`."""
        self._write(_DROP, [(self._collection,)])

    # --- inside ---

    def _read(self, sql: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        if not self._server.has_vectors():
            return []
        with self._server.transaction(self._entity, writes=False) as connection:
            return _reader(connection).execute(sql, (self._collection, *values)).fetchall()

    def _write(self, sql: LiteralString, rows: Sequence[tuple[Any, ...]]) -> None:
        if not self._server.has_vectors():
            self._server.migrate(vectors=True)
        with self._server.transaction(self._entity, writes=True) as connection:
            connection.cursor().executemany(sql, rows)


def _reader(connection: "psycopg.Connection") -> "psycopg.Cursor":
    return connection.cursor(binary=True)
