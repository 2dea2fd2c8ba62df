"""Chooses where sessions are kept, from what a caller names."""

import re

from secondhop.errors import UsageError
from secondhop.stores.sessions import SessionStore

SQLITE = "sqlite"
REDIS = ("redis://", "rediss://", "unix://")

_PASSWORD = re.compile(r"(?<=://).*@")


def chosen_sessions(named: str | SessionStore | None) -> SessionStore | None:
    """The session store; None if sessions are kept where the memories are.

    Args:
        named: None or "sqlite"; an address of a Redis server; or a store of your own.

    Raises:
        UsageError: none of these, or redis-py is not installed.
    """
    if named is None or named == SQLITE:
        return None
    if not isinstance(named, str):
        return named
    if named.startswith(REDIS):
        from secondhop.stores.sessions_redis import RedisSessions

        return RedisSessions(named)
    raise UsageError(
        f"sessions cannot be kept in {_PASSWORD.sub('...@', named)!r}; write "
        f"redis://HOST:PORT/DATABASE, or sqlite (a file in the entity's own folder)"
    )
