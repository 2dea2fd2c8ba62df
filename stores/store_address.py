"""How a caller names a store: a folder, or the address of a PostgreSQL database."""

import hashlib
import os
import re
from pathlib import Path

from secondhop.errors import UsageError

_ADDRESSES = ("postgresql://", "postgres://")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""The start of an address. A single letter would be a Windows drive."""
_PASSWORD = re.compile(r"(?<=//)([^:@/]*):[^@/]*(?=@)|(?<=[?&])(password)=[^&]*")


def is_address(store: str | Path) -> bool:
    """Whether `store` is the address of a database.

    >>> is_address("postgresql://localhost/memories"), is_address("notes")
    (True, False)
    """
    return isinstance(store, str) and store.startswith(_ADDRESSES)


def expect_possible(store: str | Path) -> None:
    """Raise UsageError for an address that cannot hold a store."""
    if isinstance(store, str) and not is_address(store) and _SCHEME.match(store):
        raise UsageError(
            f"{without_password(store)} cannot be a store: give a folder, or "
            f"postgresql://USER@HOST:PORT/DATABASE (postgres:// is the same)"
        )


def named_store(store: str | Path) -> str | Path:
    """The value of an option or an environment variable: an address unchanged, or a path.

    Raises:
        UsageError: the address cannot hold a store.
    """
    expect_possible(store)
    return store if is_address(store) else Path(os.path.expanduser(store))


def shown_store(store: str | Path) -> str:
    """The store's name without a password.

    >>> shown_store("postgresql://ana:secret@db.example:5433/mem?sslmode=require")
    'postgresql://ana@db.example:5433/mem?sslmode=require'
    """
    return without_password(str(store)) if is_address(store) else str(store)


def without_password(address: str) -> str:
    """The address with its password removed."""
    return _PASSWORD.sub(r"\1\2", address)


def files_of(store: str | Path) -> Path:
    """The folder of a store's files: the store itself or, for a database, a cache folder with what
    each machine keeps for itself (mostly embeddings)."""
    if not is_address(store):
        return Path(store)
    from platformdirs import user_cache_path

    own = hashlib.sha256(shown_store(store).encode()).hexdigest()[:16]
    return user_cache_path("secondhop", appauthor=False) / "postgres" / own
