"""The collections of one Chroma client, and how each is set up."""

from typing import TYPE_CHECKING, Any

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


class ApiSession:
    """A `ChromaSession` of one client; remembers the collections it has looked up."""

    def __init__(self, api: "ServerAPI") -> None:
        self.api = api
        self.max_batch = api.get_max_batch_size()
        self._collections: dict[str, Collection] = {}

    def collection(self, name: str) -> "Collection | None":
        """See `ChromaSession`."""
        from chromadb.errors import NotFoundError

        if name not in self._collections:
            try:
                self._keep(name, self.api.get_collection(name))
            except NotFoundError:
                return None
        return self._collections[name]

    def created(self, name: str) -> "Collection":
        """See `ChromaSession`."""
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
