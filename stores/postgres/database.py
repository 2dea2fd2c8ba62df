"""The tables of one entity in PostgreSQL, for the same SQL that SQLite runs."""

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import psycopg

from secondhop.stores.database import Rows, Values
from secondhop.stores.postgres.schema import STEPS
from secondhop.stores.postgres.server import PostgresServer, found_version

CATALOG = "catalog"
"""The part of an entity whose changes `stamp` reports."""
_CHANGED = b"UPDATE entities SET changed = pg_current_xact_id() WHERE entity = %s"
_PLACEHOLDER = re.compile(r"'[^']*'|%|\?|(?<![:\w]):([a-z_]+)|\bON CONFLICT \((?=\w)")


@lru_cache(maxsize=1024)
def translated(sql: str) -> bytes:
    """The SQL with psycopg's placeholders, and with keys that begin with the entity.

    >>> translated("INSERT INTO t (k, v) VALUES (?, '?') ON CONFLICT (k) DO UPDATE SET v = :v")
    b"INSERT INTO t (k, v) VALUES (%s, '?') ON CONFLICT (entity, k) DO UPDATE SET v = %(v)s"
    """

    def said(found: re.Match[str]) -> str:
        match found[0]:
            case "?":
                return "%s"
            case "%":
                return "%%"
            case "ON CONFLICT (":
                return "ON CONFLICT (entity, "
            case quoted if quoted.startswith("'"):
                return quoted.replace("%", "%%")
            case _:
                return f"%({found[1]})s"

    return _PLACEHOLDER.sub(said, sql).encode()


class PostgresConnection:
    """A `Connection` inside a transaction."""

    def __init__(self, raw: "psycopg.Connection") -> None:
        self.raw = raw

    def execute(self, sql: str, values: Values = (), /) -> Rows:
        """See `Connection`."""
        given = values if isinstance(values, Mapping) else tuple(values)
        return self.raw.execute(translated(sql), given)

    def executemany(self, sql: str, values: Iterable[Values], /) -> Rows:
        """See `Connection`."""
        cursor = self.raw.cursor()
        cursor.executemany(translated(sql), list(values))
        return cursor


class PostgresDatabase:
    """A `Database` that holds the rows of one entity."""

    def __init__(self, server: PostgresServer, entity: str, *, part: str) -> None:
        """Connects to nothing yet.

        Args:
            entity: its name in the rows (`entity_slug`).
            part: a part of the entity's data. Writers of different parts do not wait for each
            other.
        """
        self._server, self._entity, self._part = server, entity, part

    @property
    def name(self) -> str:
        """See `Database`."""
        return self._server.name

    @property
    def newest(self) -> int:
        """See `Database`."""
        return len(STEPS)

    def exists(self) -> bool:
        """See `Database`."""
        return self._server.has_schema()

    @contextmanager
    def reading(self) -> Generator[PostgresConnection, None, None]:
        """See `Database`."""
        with self._server.transaction(self._entity, writes=False) as connection:
            yield PostgresConnection(connection)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Generator[PostgresConnection, None, None]:
        """See `Database`."""
        alone = f"{self._entity} {self._part}"
        with self._server.transaction(self._entity, writes=True, alone=alone) as connection:
            if not durable:
                connection.execute("SET LOCAL synchronous_commit = off")
            if self._part == CATALOG:
                connection.execute(_CHANGED, (self._entity,))
            yield PostgresConnection(connection)

    def version(self, connection: Any) -> int:
        """See `Database`."""
        return found_version(connection.raw, self.name)

    def migrate(self) -> None:
        """See `Database`."""
        if not self._is_newest():
            self._server.migrate()

    def _is_newest(self) -> bool:
        if not self.exists():
            return False
        with self.reading() as connection:
            return self.version(connection) == self.newest

    def now(self, connection: Any) -> float:
        """See `Database`."""
        (seconds,) = connection.execute(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
        ).fetchone()
        return float(seconds)

    def erase_leftovers(self) -> bool:
        """See `Database`. PostgreSQL's vacuum does it at a time of its own."""
        return True

    def stamp(self) -> str | None:
        """See `Database`. None for all parts but the catalog, which are never asked."""
        return self._server.last_change(self._entity) if self._part == CATALOG else None

    def faults(self) -> list[str]:
        """See `Database`. PostgreSQL checks its files itself."""
        return []

    def close(self) -> None:
        """See `Database`. Closes nothing, because other users of the server share the
        connections."""
