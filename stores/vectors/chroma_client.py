"""What `ChromaVectors` needs of a Chroma database, be it a folder (`chroma_folder`) or a server.

Both give `reading` and `writing`, blocks in which one collection may be used.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from secondhop.errors import CorruptStoreError, StoreError, StoreFullError

if TYPE_CHECKING:
    from chromadb.api import ServerAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.types import Collection as CollectionModel


HNSW = {
    "space": "cosine",
    "batch_size": 20,
    "sync_threshold": 50,
    "ef_construction": 100,
    "ef_search": 200,
    "max_neighbors": 16,
}
"""Settings of each collection. With Chroma's own batch and sync sizes a small collection stays in
the write-ahead log, which every query reads from end to end."""


class UnloadedIndexError(CorruptStoreError):
    """Chroma no longer has the index in memory, and has not put it on disk yet.

    Seen with Chroma 1.5.9 on collections of fewer than `sync_threshold` vectors, about once in
    thirty runs that wrote to another collection meanwhile. Loaded again, it comes out of the log.
    """


class ChromaSession:
    """The collections of one client; remembers those it has looked up."""

    def __init__(self, api: "ServerAPI") -> None:
        self.api = api
        self.max_batch = api.get_max_batch_size()
        """Ids that one call may carry."""
        self._collections: dict[str, Collection] = {}

    def collection(self, name: str) -> "Collection | None":
        """None when there is none."""
        from chromadb.errors import NotFoundError

        if name not in self._collections:
            try:
                self._keep(name, self.api.get_collection(name))
            except NotFoundError:
                return None
        return self._collections[name]

    def created(self, name: str) -> "Collection":
        """The collection, made if need be."""
        if name not in self._collections:
            made = self.api.get_or_create_collection(name, configuration={"hnsw": _hnsw()})
            self._keep(name, made)
        return self._collections[name]

    def _keep(self, name: str, model: "CollectionModel") -> None:
        from chromadb.api.models.Collection import Collection

        # no embedding function: Chroma's default one would download a model
        self._collections[name] = Collection(self.api, model, embedding_function=None)

    def drop(self, name: str) -> None:
        """Delete the collection; none is no error."""
        from chromadb.errors import NotFoundError

        self._collections.pop(name, None)
        try:
            self.api.delete_collection(name)
        except NotFoundError:
            return

    def rename(self, name: str, new_name: str) -> None:
        """Give the collection another name; none is no error."""
        collection = self.collection(name)
        if collection is not None:
            collection.modify(name=new_name)
            del self._collections[name]


def _hnsw() -> Any:
    return dict(HNSW)


class ChromaClient(Protocol):
    """A database that holds one collection an entity and generation."""

    def reading(self, name: str) -> AbstractContextManager[ChromaSession | None]:
        """A block that reads the collection; None when there is no database yet."""
        ...

    def writing(self, name: str, *, adds_bytes: int = 0) -> AbstractContextManager[ChromaSession]:
        """A block that may change the collection."""
        ...

    def check_room(self) -> None:
        """Raise StoreFullError where a first vector could not be stored; creates nothing."""
        ...

    def drop(self, name: str) -> None:
        """Delete the collection, whatever state it is in; none is no error."""
        ...

    def compact(self, name: str) -> bool:
        """Put what the collection holds into new files, and delete the old ones.

        False where that cannot be done now. No one may write to the collection meanwhile.
        """
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


@contextmanager
def chroma_errors(place: str, *, cure: str) -> Generator[None, None, None]:
    """Around every call of Chroma; `cure` rebuilds the vectors. It gives no codes, only words."""
    from chromadb.errors import ChromaError, InternalError
    from httpx import HTTPError

    try:
        yield
    except (HTTPError, ConnectionError) as error:
        raise StoreError(
            f"the Chroma server at {place} does not answer ({error}); start it, or check the URL"
        ) from error
    except InternalError as error:
        raise _internal(error, place, cure=cure) from error
    except ChromaError as error:
        raise StoreError(f"Chroma at {place} refused: {error}") from error


def _internal(error: Exception, place: str, *, cure: str) -> StoreError:
    words = str(error).lower()
    if "is full" in words or "no space left" in words or "file too large" in words:
        return StoreFullError(
            f"no space is left for the vectors in {place}; free some and try again; "
            f"everything stored before is kept"
        )
    if "is locked" in words or "busy" in words:
        return StoreError(f"another program keeps {place} locked; try again when it is done")
    kind = UnloadedIndexError if "nothing found on disk" in words else CorruptStoreError
    return kind(
        f"the vectors in {place} cannot be read ({error}); "
        f"the memories are safe: {cure} rebuilds the vectors"
    )
