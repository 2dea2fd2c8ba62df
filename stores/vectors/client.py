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

    def collection(self, name: str, *, create: bool = False) -> "Collection | None":
        """None when there is none and `create` is off."""
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

    def erase_removed(self, name: str) -> bool:
        """Overwrite the vectors that files still hold of what was removed; False: it cannot."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
