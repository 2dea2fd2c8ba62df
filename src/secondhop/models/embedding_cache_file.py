"""The SQLite file behind the embedding cache: shared by processes, expendable at any time."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from secondhop.models.embedder import Vectors

logger = logging.getLogger(__name__)

T = TypeVar("T")

Scope: TypeAlias = tuple[str, str]
"""(model id, "passage" or "query"): vectors of one scope are never taken for another's."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text_sha BLOB NOT NULL,
    model_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (text_sha, model_id, kind)
) WITHOUT ROWID
"""
_BUSY_TIMEOUT_S = 5.0
_LOOKUPS_A_STATEMENT = 500
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class EmbeddingCacheFile:
    """Vectors by (sha256 of the text, model, kind), float32. No method raises for a bad disk.

    A damaged file is renamed to "<name>.damaged-<time>" and a new one begun. When the disk is full
    or the file cannot be opened, a warning is logged once and the cache just misses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._warned = False

    def get(self, scope: Scope, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are known and sound, by text."""
        found = self._attempt(lambda connection: _select(connection, scope, texts))
        return found or {}

    def put(self, scope: Scope, rows: Mapping[str, Vectors]) -> None:
        """Keep these vectors, all or none."""
        self._attempt(lambda connection: _insert(connection, scope, rows))

    def purge(self, texts: Sequence[str]) -> None:
        """Forget these texts in every scope."""
        if self._path.exists():
            self._attempt(lambda connection: _delete(connection, texts))

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `work` returns, or None when the file does not let us; heals a damaged file once."""
        with self._lock:
            try:
                try:
                    return work(self._opened())
                except sqlite3.DatabaseError as error:
                    if _code(error) not in _DAMAGED:
                        raise
                    self._set_aside(error)
                    return work(self._opened())
            except (sqlite3.Error, OSError) as error:
                self._drop_connection()
                self._warn_once(error)
                return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _open(self._path)
        return self._connection

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        """Rename the damaged file, unless another process has already put a sound one there."""
        self._drop_connection()
        if _is_sound(self._path):
            return
        aside = self._path.with_name(f"{self._path.name}.damaged-{time.time_ns()}")
        logger.warning(
            "the embedding cache %s is damaged (%s); it is set aside as %s and begun anew",
            self._path,
            error,
            aside.name,
        )
        for suffix in ("-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another process was faster
            self._path.rename(aside)

    def _warn_once(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            logger.warning(
                "the embedding cache %s is not used: %s; texts are embedded again each time until "
                "it can be written",
                self._path,
                error,
            )


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _is_sound(path: Path) -> bool:
    try:
        connection = _open(path)
    except sqlite3.Error:
        return False
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False
    finally:
        connection.close()


def _select(
    connection: sqlite3.Connection, scope: Scope, texts: Sequence[str]
) -> dict[str, Vectors]:
    by_sha = {_sha(text): text for text in texts}
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


def _insert(connection: sqlite3.Connection, scope: Scope, rows: Mapping[str, Vectors]) -> None:
    _in_transaction(
        connection,
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
        [(_sha(text), *scope, row.astype("<f4").tobytes()) for text, row in rows.items()],
    )


def _delete(connection: sqlite3.Connection, texts: Sequence[str]) -> None:
    _in_transaction(
        connection, "DELETE FROM vectors WHERE text_sha = ?", [(_sha(text),) for text in texts]
    )


def _in_transaction(
    connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[bytes | str, ...]]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(statement, rows)
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise


def _code(error: sqlite3.DatabaseError) -> int:
    """Primary result code; the errors of Python's own module have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _sha(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
