"""How a caller names a store: a folder, or the address of a PostgreSQL database."""

import hashlib
import re
from pathlib import Path

_ADDRESSES = ("postgresql://", "postgres://")
_PASSWORD = re.compile(r"(?<=//)([^:@/]*):[^@/]*(?=@)|(?<=[?&])(password)=[^&]*")


def is_address(store: str | Path) -> bool:
    """Whether it names a database.

    >>> is_address("postgresql://localhost/memories"), is_address("notes")
    (True, False)
    """
    return isinstance(store, str) and store.startswith(_ADDRESSES)


def named_store(store: str | Path) -> str | Path:
    """What an option or a variable names: an address as it stands, or a path."""
    return store if is_address(store) else Path(store)


def shown_store(store: str | Path) -> str:
    """The store's name without a password.

    >>> shown_store("postgresql://ana:secret@db.example:5433/mem?sslmode=require")
    'postgresql://ana@db.example:5433/mem?sslmode=require'
    """
    return _PASSWORD.sub(r"\1\2", str(store)) if is_address(store) else str(store)


def files_of(store: str | Path) -> Path:
    """The folder of a store's files: all of it, or of a database what each machine keeps for
    itself, embeddings above all."""
    if not is_address(store):
        return Path(store)
    from platformdirs import user_cache_path

    own = hashlib.sha256(shown_store(store).encode()).hexdigest()[:16]
    return user_cache_path("secondhop", appauthor=False) / "postgres" / own
