"""The database protocol of the stores: the same SQL runs on SQLite and PostgreSQL.

Placeholders are `?` with a sequence of values and `:name` with a mapping. The differences are in
`stores/sqlite.py` and `stores/postgres/database.py`: opening, transactions, schema, errors.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """The result of a statement; each row is a tuple."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        ...

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        """One item per column, starting with its name; None if the statement returns no rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """All remaining rows."""
        ...


class Connection(Protocol):
    """A connection inside a transaction. `sqlite3.Connection` is one."""

    def execute(self, sql: str, values: Values = (), /) -> Rows:
        """Run one statement."""
        ...

    def executemany(self, sql: str, values: Iterable[Values], /) -> Rows:
        """Run one statement once for each item of `values`."""
        ...


class Database(Protocol):
    """Transactions on the tables of one entity. Safe to use from any thread."""

    @property
    def name(self) -> str:
        """Its name in messages, without a password."""
        ...

    @property
    def newest(self) -> int:
        """The schema version that this release of secondhop writes."""
        ...

    def exists(self) -> bool:
        """Whether there is anything to read."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view; nothing can be written through it."""
        ...

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """A transaction. Once the block has ended, its changes survive the death of this process.

        Args:
            durable: they also survive a power cut. False: only after the next durable write.
        """
        ...

    def stamp(self) -> Hashable:
        """A value that differs after every change by any process; None if that cannot be told.
        Blocks."""
        ...

    def version(self, connection: Connection) -> int:
        """The schema version found; 0 if there is no schema yet.

        Raises:
            SchemaVersionError: a newer secondhop wrote it; nothing was changed.
        """
        ...

    def migrate(self) -> None:
        """Bring the schema to the newest version, creating it if necessary.

        Raises:
            SchemaVersionError: as for `version`.
        """
        ...

    def now(self, connection: Connection) -> float:
        """Epoch seconds by a clock that all users of the database share."""
        ...

    def erase_leftovers(self) -> bool:
        """Purge deleted rows from the files; False while others read them."""
        ...

    def faults(self) -> list[str]:
        """Problems that its own integrity check finds; [] if there are none."""
        ...

    def close(self) -> None:
        """Close its connections. It cannot be used afterwards."""
        ...
