"""The protocols that `ChromaVectors` uses, for a Chroma database in a folder or on a server.

Both offer `reading` and `writing`: blocks in which one collection may be used.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any, Protocol

from secondhop.errors import CorruptStoreError, StoreError, StoreFullError, StoreUnavailableError
from secondhop.stores.records import Vector, Vectors
from secondhop.stores.sqlite import not_read

HNSW = {
    "space": "cosine",
    "batch_size": 20,
    "sync_threshold": 50,
    "ef_construction": 200,
    "ef_search": 400,
    "max_neighbors": 16,
}
"""Settings of each collection. With Chroma's default batch and sync sizes, a small collection stays
in the write-ahead log, which every query reads from end to end.

A search asks for 256 cues or 360 passages. With `ef_search` at 200, it missed one of 635 cues in 9
of 375 queries; at 400 it missed none, in the same time. With `ef_construction` at 100, 4 to 21 of
162 searches in cues that sessions had added missed one or more, at 200 at most 2."""


class UnloadedIndexError(CorruptStoreError):
    """Chroma no longer has the index in memory, and has not put it on disk yet.

    Seen with Chroma 1.5.9 on collections of fewer than `sync_threshold` vectors, while another
    collection was written. When it is loaded again, it comes from the log.
    """


class DroppedCollectionError(StoreError):
    """The collection that was looked up is gone; another process may have made it again."""


class ChromaCollection(Protocol):
    """The vectors of one entity and generation."""

    dimension: int | None
    """Length of its vectors; None if it was empty when it was opened."""

    def count(self) -> int:
        """How many there are."""
        ...

    def ids(self) -> list[str]:
        """All ids, in no particular order."""
        ...

    def vectors(self, ids: list[str]) -> dict[str, Vector]:
        """{id: vector} of those ids that it holds."""
        ...

    def nearest(self, queries: Vectors, *, k: int) -> list[tuple[list[str], list[float]]]:
        """For each query, ids and their cosine distances, nearest first."""
        ...

    def upsert(self, ids: list[str], vectors: Vectors) -> None:
        """Add vectors, or replace those of ids that it holds."""
        ...

    def delete(self, ids: list[str]) -> None:
        """Remove these ids; unknown ids are no error."""
        ...

    def rename(self, name: str) -> None:
        """Give it another name."""
        ...


class ChromaDatabase(Protocol):
    """The collections of a folder or a server."""

    def collection(self, name: str) -> ChromaCollection:
        """The collection. Raises chromadb.errors.NotFoundError if there is none."""
        ...

    def created(self, name: str, *, hnsw: dict[str, Any]) -> ChromaCollection:
        """The collection, created with these settings if necessary."""
        ...

    def drop(self, name: str) -> None:
        """Delete the collection. Raises chromadb.errors.NotFoundError if there is none."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


class ChromaSession:
    """The collections of one database; remembers those it has looked up."""

    def __init__(self, database: ChromaDatabase) -> None:
        self._database = database
        self._collections: dict[str, ChromaCollection | None] = {}
        """None for a collection that does not exist."""

    def collection(self, name: str) -> ChromaCollection | None:
        """The collection; None if there is none."""
        if name not in self._collections:
            try:
                self._collections[name] = self._database.collection(name)
            except _errors().NotFoundError:
                return None
        return self._collections[name]

    def created(self, name: str) -> ChromaCollection:
        """The collection, created if necessary."""
        collection = self._collections.get(name)
        if collection is None:
            collection = self._database.created(name, hnsw=dict(HNSW))
            self._collections[name] = collection
        return collection

    def expect(self, name: str, *, exists: bool) -> None:
        """Note whether the collection exists: asking for one that does not loads `chromadb`."""
        self._collections.pop(name, None)
        if not exists:
            self._collections[name] = None

    def drop(self, name: str) -> None:
        """Delete the collection; no error if there is none."""
        self._collections.pop(name, None)
        try:
            self._database.drop(name)
        except _errors().NotFoundError:
            return

    def rename(self, name: str, new_name: str) -> None:
        """Give the collection another name; no error if there is none."""
        collection = self.collection(name)
        if collection is not None:
            collection.rename(new_name)
            del self._collections[name]
            self._collections.pop(new_name, None)

    def close(self) -> None:
        """Close files and connections."""
        self._database.close()


def _errors() -> ModuleType:
    """Chroma's error classes. They are looked up only when there is an error, because that loads
    `chromadb`."""
    from chromadb import errors

    return errors


class ChromaClient(Protocol):
    """A database whose collections each belong to one entity and generation."""

    def reading(self, name: str) -> AbstractContextManager[ChromaSession | None]:
        """A block that reads the collection; None when there is no database yet."""
        ...

    def writing(self, name: str, *, adds_bytes: int = 0) -> AbstractContextManager[ChromaSession]:
        """A block that may change the collection."""
        ...

    def drop(self, name: str) -> None:
        """Delete the collection, even a damaged one; no error if there is none."""
        ...

    def compact(self, name: str) -> bool:
        """Rewrite the collection's contents to new files, and delete the old ones.

        False if that cannot be done now. The caller keeps other writers away meanwhile.
        """
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


@contextmanager
def chroma_errors(place: str, *, cure: str) -> Generator[None, None, None]:
    """Translate Chroma's errors, which have no codes, only words. Wrap every call of Chroma in it.

    Args:
        cure: the command that rebuilds the vectors.
    """
    try:
        yield
    except _unreachable() as error:
        raise StoreUnavailableError(
            f"the Chroma server at {place} does not answer ({error}); start it, or check the URL"
        ) from error
    except _errors().InternalError as error:
        raise _internal(error, place, cure=cure) from error
    except _errors().NotFoundError as error:
        raise DroppedCollectionError(f"Chroma at {place} refused: {error}") from error
    except _errors().ChromaError as error:
        raise StoreError(f"Chroma at {place} refused: {error}") from error
    except Exception as error:
        if type(error) is not Exception:
            raise
        # Chroma's client got an HTTP error that is not Chroma's own, such as a proxy's
        raise StoreUnavailableError(
            f"the server at {place} does not answer like Chroma ({str(error)[:200]}); check it, "
            f"and any proxy in front of it"
        ) from error


def _unreachable() -> tuple[type[Exception], ...]:
    from httpx import HTTPError

    return HTTPError, ConnectionError


def _internal(error: Exception, place: str, *, cure: str) -> StoreError:
    words = str(error).lower()
    if "is full" in words or "no space left" in words or "file too large" in words:
        return StoreFullError(
            f"no space is left for the vectors in {place}; free some and try again; "
            f"everything stored before is kept"
        )
    if "is locked" in words or "busy" in words:
        return StoreError(f"another program keeps {place} locked; try again when it is done")
    if "disk i/o error" in words or "input/output error" in words:
        return StoreError(not_read(place, error))
    kind = UnloadedIndexError if "nothing found on disk" in words else CorruptStoreError
    return kind(
        f"the vectors in {place} cannot be read ({error}); "
        f"the memories are safe: {cure} rebuilds the vectors"
    )
