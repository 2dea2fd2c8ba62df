"""Where sessions are kept, as a caller names it."""

import re
from pathlib import Path

from secondhop.errors import UsageError
from secondhop.stores.sessions import SessionStore
from secondhop.stores.store_directory import entity_slug

SQLITE = "sqlite"
REDIS = ("redis://", "rediss://", "unix://")

_PASSWORD = re.compile(r"(?<=://).*@")

FILE = "sessions.db"
"""In the entity's folder, beside its traces; never in its catalog, for a session writes nothing
there."""


def chosen_sessions(named: str | SessionStore | None, *, store: Path, entity: str) -> SessionStore:
    """The store of sessions.

    Args:
        named: None or "sqlite": a file in the entity's folder; an address of a Redis server; or a
            store of your own.

    Raises:
        UsageError: none of these, or redis-py is not installed.
    """
    if named is None or named == SQLITE:
        from secondhop.stores.sessions_sqlite import SqliteSessions

        return SqliteSessions(store / "entities" / entity_slug(entity) / FILE)
    if not isinstance(named, str):
        return named
    if named.startswith(REDIS):
        from secondhop.stores.sessions_redis import RedisSessions

        return RedisSessions(named)
    raise UsageError(
        f"sessions cannot be kept in {_PASSWORD.sub('...@', named)!r}; write "
        f"redis://HOST:PORT/DATABASE, or sqlite (a file in the entity's own folder)"
    )
