"""What `ChromaVectors` needs of a Chroma database, be it a folder (`chroma_folder`) or a server.

Both give `reading` and `writing`, blocks in which one collection may be used.
"""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


class ChromaSession(Protocol):
    """Collections by name, for the time of one block."""

    @property
    def max_batch(self) -> int:
        """Ids that one call may carry."""
        ...

    def collection(self, name: str) -> "Collection | None":
        """None when there is none."""
        ...

    def created(self, name: str) -> "Collection":
        """The collection, made if need be."""
        ...


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

        False where that cannot be done now. Nobody may write to the collection meanwhile.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
