"""Where sessions are kept, as a caller names it."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.stores.home import entity_slug
from secondhop.stores.sessions import SessionStore

FILE = "sessions.db"
"""In the entity's folder, beside its traces; never in its catalog."""


def chosen_sessions(named: str | SessionStore | None, *, store: Path, entity: str) -> SessionStore:
    """The store of sessions.

    Args:
        named: None: a file in the entity's folder; "memory"; an address of a Redis server; or a
            store of your own.

    Raises:
        UsageError: none of these, or redis-py is not installed.
    """
    if named is None:
        from secondhop.stores.sessions_sqlite import SqliteSessions

        return SqliteSessions(store / "entities" / entity_slug(entity) / FILE)
    if not isinstance(named, str):
        return named
    if named == "memory":
        from secondhop.stores.sessions_memory import MemorySessions

        return MemorySessions()
    if named.startswith(("redis://", "rediss://", "unix://")):
        from secondhop.stores.sessions_redis import RedisSessions

        return RedisSessions(named)
    raise UsageError(
        f"sessions cannot be kept in {named!r}; write redis://HOST:PORT/DATABASE or memory, or "
        f"leave it out: then they are in the entity's own folder"
    )
