"""The SQLite file behind the embedding cache."""

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import numpy as np

from secondhop.models.cache_file import CacheFile
from secondhop.models.embedder import Vectors

Scope: TypeAlias = tuple[str, str]
"""(model id, "passage" or "query"): vectors of one scope are never taken for another's."""

KEPT_QUERIES = 4_000
"""Query vectors; the oldest go first. About 5 kB each on disk, with 384 dimensions."""

NO_LIMIT = 1_000_000_000
"""Of query vectors: playbooks ask some 3,700 with each model, and would otherwise be embedded at
every start where two models are used."""

_TRIM_EVERY = 500
"""Query vectors that are added between two trims; the file is trimmed when it is opened, too."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text_sha BLOB NOT NULL,
    model_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    vector BLOB NOT NULL,
    added_ns INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (text_sha, model_id, kind)
) WITHOUT ROWID
"""
_ADDED = "ALTER TABLE vectors ADD COLUMN added_ns INTEGER NOT NULL DEFAULT 0"
"""For files of version 0.1."""
_BY_AGE = "CREATE INDEX IF NOT EXISTS queries_by_age ON vectors (added_ns) WHERE kind = 'query'"
_INSERT = (
    "INSERT OR REPLACE INTO vectors (text_sha, model_id, kind, vector, added_ns)"
    " VALUES (?, ?, ?, ?, ?)"
)
_LOOKUPS_A_STATEMENT = 500


class EmbeddingCacheFile:
    """Vectors by (sha256 of the text, model, kind), float32. No method raises for a bad disk.

    All passages are kept, and the newest `kept_queries` queries.
    """

    def __init__(self, path: Path, *, kept_queries: int) -> None:
        self._kept_queries, self._untrimmed = kept_queries, 0
        self._file = CacheFile(
            path,
            name="the embedding cache",
            without="texts are embedded again each time",
            prepare=self._prepare,
        )

    def get(self, scope: Scope, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are known and sound, by text."""
        found = self._file.attempt(lambda connection: _select(connection, scope, texts))
        return found or {}

    def put(self, scope: Scope, rows: Mapping[str, Vectors]) -> None:
        """Keep these vectors, all or none."""
        now = time.time_ns()
        kept = [
            (text_digest(text), *scope, row.astype("<f4").tobytes(), now + number)
            for number, (text, row) in enumerate(rows.items())
        ]
        self._file.attempt(lambda connection: connection.executemany(_INSERT, kept))
        self._untrimmed += len(rows) if scope[1] == "query" else 0
        if self._untrimmed >= _TRIM_EVERY:
            self._file.attempt(self._trim)

    def purge(self, texts: Sequence[str]) -> None:
        """Forget these texts in every scope, in the write-ahead log, too."""
        gone = [(text_digest(text),) for text in texts]
        self._forget(
            lambda connection: connection.executemany(
                "DELETE FROM vectors WHERE text_sha = ?", gone
            )
        )

    def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """Forget the passages of all other texts in every model, and all queries.

        Which queries were made of the words of a text that is gone, nothing tells.
        """
        self._forget(partial(_delete_all_but, digests=digests))

    def _forget(self, delete: Callable[[sqlite3.Connection], object]) -> None:
        if self._file.path.exists():
            self._file.attempt(delete)
            self._file.attempt(
                lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            )

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        self._file.close()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(_SCHEMA)
        columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(vectors)")}
        if "added_ns" not in columns:
            connection.execute(_ADDED)
        connection.execute(_BY_AGE)
        self._trim(connection)

    def _trim(self, connection: sqlite3.Connection) -> None:
        self._untrimmed = 0
        connection.execute(
            "DELETE FROM vectors WHERE kind = 'query' AND added_ns <= ("
            "SELECT added_ns FROM vectors WHERE kind = 'query'"
            " ORDER BY added_ns DESC LIMIT 1 OFFSET ?)",
            (self._kept_queries,),
        )


def _select(
    connection: sqlite3.Connection, scope: Scope, texts: Sequence[str]
) -> dict[str, Vectors]:
    by_sha = {text_digest(text): text for text in texts}
    shas, found = list(by_sha), dict[str, Vectors]()
    for start in range(0, len(shas), _LOOKUPS_A_STATEMENT):
        chunk = shas[start : start + _LOOKUPS_A_STATEMENT]
        marks = ",".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT text_sha, vector FROM vectors WHERE text_sha IN ({marks})"
            " AND model_id = ? AND kind = ?",
            [*chunk, *scope],
        )
        for sha, blob in rows:
            vector = _sound_vector(blob)
            if vector is not None:
                found[by_sha[sha]] = vector
    return found if len({len(vector) for vector in found.values()}) <= 1 else {}


def _sound_vector(blob: object) -> Vectors | None:
    """The vector, if it is one of unit length; bit rot that SQLite does not see ends here."""
    if not isinstance(blob, bytes) or not blob or len(blob) % 4:
        return None
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        norm = float(np.sqrt(np.sum(np.square(vector))))
    return vector if abs(norm - 1.0) < 1e-3 else None


def _delete_all_but(connection: sqlite3.Connection, digests: AbstractSet[bytes]) -> None:
    rows = connection.execute("SELECT DISTINCT text_sha FROM vectors WHERE kind = 'passage'")
    others = [(digest,) for (digest,) in rows if digest not in digests]
    statement = "DELETE FROM vectors WHERE text_sha = ? AND kind = 'passage'"
    connection.executemany(statement, others)
    connection.execute("DELETE FROM vectors WHERE kind = 'query'")


def text_digest(text: str) -> bytes:
    """What stands for a text in the file."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
