"""What stores need of a database: one SQL text for SQLite and PostgreSQL.

Placeholders are `?` with a sequence and `:name` with a mapping. What differs stands in
`stores/sqlite.py` and `stores/postgres/database.py`: opening, transactions, schema, errors.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """What a statement gives; each row is a tuple."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        ...

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        """The columns, each beginning with its name."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """All that are left."""
        ...


class Connection(Protocol):
    """A connection inside a transaction. `sqlite3.Connection` is one."""

    def execute(self, sql: str, values: Values = (), /) -> Rows:
        """Run one statement."""
        ...

    def executemany(self, sql: str, values: Iterable[Values], /) -> Rows:
        """Run one statement for each of these."""
        ...


class Database(Protocol):
    """Transactions on the tables of one entity. Safe to use from any thread."""

    @property
    def name(self) -> str:
        """What messages call it; no password is in it."""
        ...

    @property
    def newest(self) -> int:
        """The version of the schema that this secondhop writes."""
        ...

    def exists(self) -> bool:
        """Whether anything is there to be read."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view; nothing can be written through it."""
        ...

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """All or nothing, and kept whatever becomes of this process when the block ends.

        Args:
            durable: it also survives a power cut. False: only with the next durable one.
        """
        ...

    async def stamp(self) -> Hashable:
        """Another one after each change by any process; None where that cannot be told."""
        ...

    def version(self, connection: Connection) -> int:
        """Version of the schema found; 0: none yet.

        Raises:
            SchemaVersionError: a newer secondhop wrote it; nothing was changed.
        """
        ...

    def migrate(self) -> None:
        """Bring the schema to the newest version, from none if need be.

        Raises:
            SchemaVersionError: as of `version`.
        """
        ...

    def now(self, connection: Connection) -> float:
        """Epoch seconds by the clock that all who use it share."""
        ...

    def erase_leftovers(self) -> bool:
        """Leave nothing of deleted rows in a file; False while others read it."""
        ...

    def faults(self) -> list[str]:
        """What its own check finds wrong; [] for a sound one."""
        ...

    def close(self) -> None:
        """Close connections; it cannot be used after."""
        ...
