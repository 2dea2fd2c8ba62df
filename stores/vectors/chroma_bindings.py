"""Opens Chroma's folder through its Rust bindings, without the package `chromadb`.

`import chromadb` takes 0.3 s, for OpenTelemetry, gRPC and more that a folder of vectors does not
need. `chromadb.PersistentClient` calls the same bindings (`chromadb/api/rust.py`), so it reads and
writes the same folder. `tests/stores/test_chroma_format.py` compares the two, and `pyproject.toml`
names the versions whose bindings are known.

The bindings raise the errors of `chromadb.errors`, and load `chromadb` when they do.
"""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb_rust_bindings  # type: ignore[import-untyped] # it ships no types
import numpy as np

from secondhop.stores.records import Vector, Vectors

_rust: Any = chromadb_rust_bindings
_PLACE = ("default_tenant", "default_database")
_CONFIGURATION = {"spann": None, "embedding_function": {"type": "legacy"}}
"""As Chroma writes it for a collection that has no embedding function."""


class FolderDatabase:
    """A `ChromaDatabase` in a folder."""

    def __init__(self, folder: Path, *, open_indexes: int) -> None:
        """`open_indexes`: how many indexes Chroma may keep in memory."""
        self._bindings: Any = _rust.Bindings(
            allow_reset=False,
            sqlite_db_config=_rust.SqliteDBConfig(
                hash_type=_rust.MigrationHash.MD5,
                migration_mode=_rust.MigrationMode.Apply,
                url=str(folder / "chroma.sqlite3"),
            ),
            persist_path=str(folder),
            hnsw_cache_size=open_indexes,
        )

    def collection(self, name: str) -> "FolderCollection":
        """See `ChromaDatabase`."""
        return FolderCollection(self._bindings, self._bindings.get_collection(name, *_PLACE))

    def created(self, name: str, *, hnsw: dict[str, Any]) -> "FolderCollection":
        """See `ChromaDatabase`."""
        configuration = json.dumps({"hnsw": hnsw} | _CONFIGURATION)
        made = self._bindings.create_collection(name, configuration, None, None, True, *_PLACE)
        return FolderCollection(self._bindings, made)

    def drop(self, name: str) -> None:
        """See `ChromaDatabase`."""
        self._bindings.delete_collection(name, *_PLACE)

    def close(self) -> None:
        """See `ChromaDatabase`."""
        del self._bindings


class FolderCollection:
    """A `ChromaCollection` in a folder."""

    def __init__(self, rust: Any, made: Any) -> None:
        """`made`: Chroma's record of the collection."""
        self._bindings, self._id = rust, str(made.id)
        self.dimension: int | None = made.dimension

    def count(self) -> int:
        """See `ChromaCollection`."""
        return int(self._bindings.count(self._id, *_PLACE))

    def ids(self) -> list[str]:
        """See `ChromaCollection`."""
        return list(self._get(None, []).ids)

    def vectors(self, ids: list[str]) -> dict[str, Vector]:
        """See `ChromaCollection`."""
        result = self._get(ids, ["embeddings"])
        found, rows = result.ids, result.embeddings  # each access copies all of it
        if not found:
            return {}
        packed = struct.Struct(f"{len(rows[0])}f").pack  # NumPy takes twice as long
        joined = np.frombuffer(b"".join([packed(*row) for row in rows]), dtype=np.float32)
        return dict(zip(found, joined.reshape(len(found), -1), strict=True))

    def nearest(self, queries: Vectors, *, k: int) -> list[tuple[list[str], list[float]]]:
        """See `ChromaCollection`."""
        found = self._bindings.query(
            self._id, None, _rows(queries), k, None, None, ["distances"], *_PLACE
        )
        return list(zip(found.ids, found.distances, strict=True))

    def upsert(self, ids: list[str], vectors: Vectors) -> None:
        """See `ChromaCollection`."""
        self._bindings.upsert(self._id, ids, _rows(vectors), None, None, None, *_PLACE)

    def delete(self, ids: list[str]) -> None:
        """See `ChromaCollection`."""
        self._bindings.delete(self._id, ids, None, None, None, *_PLACE)

    def rename(self, name: str) -> None:
        """See `ChromaCollection`."""
        self._bindings.update_collection(self._id, name, None, None)

    def _get(self, ids: list[str] | None, include: Sequence[str]) -> Any:
        return self._bindings.get(self._id, ids, None, None, 0, None, include, *_PLACE)


def _rows(vectors: Vectors) -> list[Vector]:
    return list(np.asarray(vectors, dtype=np.float32))
