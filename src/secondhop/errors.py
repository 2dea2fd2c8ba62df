"""Every error secondhop raises on purpose, as one tree.

SecondhopError
├── UsageError                 the caller asked for something that cannot be (k = 0)
├── UnknownEntityError         nothing is stored for this entity
├── IngestError                nothing of what was given could be stored
├── StoreError                 the store could not do its work
│   ├── EmbedderMismatchError  built with another embedding model
│   ├── SchemaVersionError     written by a newer secondhop
│   ├── CorruptStoreError      the vectors cannot be read; `secondhop reindex` rebuilds them
│   └── StoreFullError         the disk is full; what was acknowledged before is kept
└── ModelError                 a model could not be loaded, reached or understood
    └── ModelUnavailableError  the default model is not on this machine and may not be fetched

The message says what happened, then what to do; numbers stay on the error as attributes.
"""


class SecondhopError(Exception):
    """Base of all errors that secondhop raises on purpose."""


class UsageError(SecondhopError):
    """The caller asked for something that cannot be."""


class UnknownEntityError(SecondhopError):
    """Nothing is stored for this entity."""

    def __init__(self, entity: str, *, store: str) -> None:
        super().__init__(
            f"no memory is stored for entity {entity!r} in {store}; store some first "
            f"(`secondhop ingest PATH --entity {entity}`), or check the entity and --store"
        )
        self.entity, self.store = entity, store


class IngestError(SecondhopError):
    """Nothing of what was given could be stored."""


class StoreError(SecondhopError):
    """The store could not do its work."""


class EmbedderMismatchError(StoreError):
    """The store was built with another embedding model than the one it is opened with."""

    def __init__(self, *, built_with: str, opened_with: str, store: str) -> None:
        super().__init__(
            f"the store {store} was built with embedding model {built_with!r} and is opened with "
            f"{opened_with!r}; open it with the model it was built with, or re-embed every memory "
            f"with the new one: `secondhop reindex --store {store}`, with the new --embedder"
        )
        self.built_with, self.opened_with, self.store = built_with, opened_with, store


class SchemaVersionError(StoreError):
    """The store was written by a newer secondhop."""

    def __init__(self, *, found: int, known: int, path: str) -> None:
        super().__init__(
            f"{path} has schema version {found}, this secondhop knows up to {known}; "
            f"upgrade secondhop (`pip install -U secondhop`); nothing was changed"
        )
        self.found, self.known, self.path = found, known, path


class CorruptStoreError(StoreError):
    """A part of the store cannot be read."""


class StoreFullError(StoreError):
    """The disk is full; everything acknowledged before is kept."""


class ModelError(SecondhopError):
    """A model could not be loaded, reached or understood."""


class ModelUnavailableError(ModelError):
    """The default model is not on this machine and may not, or could not, be fetched."""
