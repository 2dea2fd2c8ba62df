"""How a caller names a store: a folder, or the address of a PostgreSQL database."""

from pathlib import Path

from secondhop.stores.store_place import StorePlace

ADDRESSES = ("postgresql://", "postgres://")


def is_address(store: str | Path) -> bool:
    """Whether it names a database.

    >>> is_address("postgresql://localhost/memories"), is_address("notes")
    (True, False)
    """
    return isinstance(store, str) and store.startswith(ADDRESSES)


def place_of_store(store: str | Path, *, chroma_url: str | None) -> StorePlace:
    """Where the store is; nothing is connected or made.

    Raises:
        StoreError: no folder can be there.
        UsageError: the address is none, or psycopg is not installed.
    """
    if is_address(store):
        from secondhop.stores.postgres.place import PostgresPlace

        return PostgresPlace(str(store), chroma_url=chroma_url)
    from secondhop.stores.folder_place import FolderPlace

    return FolderPlace(Path(store), chroma_url=chroma_url)
