"""The collections of one Chroma client, and how each is set up."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chromadb.api import ServerAPI
    from chromadb.api.models.Collection import Collection

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

    def collection(self, name: str, *, create: bool = False) -> "Collection | None":
        """See `ChromaSession`."""
        if name not in self._collections:
            from chromadb.api.models.Collection import Collection
            from chromadb.errors import NotFoundError

            try:
                if create:
                    model = self.api.get_or_create_collection(name, configuration={"hnsw": _hnsw()})
                else:
                    model = self.api.get_collection(name)
            except NotFoundError:
                return None
            # no embedding function: Chroma's default one would download a model
            self._collections[name] = Collection(self.api, model, embedding_function=None)
        return self._collections[name]

    def drop(self, name: str) -> None:
        """Delete the collection; none is no error."""
        from chromadb.errors import NotFoundError

        self._collections.pop(name, None)
        try:
            self.api.delete_collection(name)
        except NotFoundError:
            return


def _hnsw() -> Any:
    return dict(HNSW)
