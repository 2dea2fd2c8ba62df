"""Traces as rows, so that any worker can explain another worker's recall."""

from secondhop.stores.postgres.database import PostgresDatabase
from secondhop.stores.trace_files import TraceFile


class TraceRows:
    """`TraceFiles` in a table."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def write(self, name: str, content: bytes, *, at_ns: int) -> None:
        """See `TraceFiles`."""
        self._database.migrate()
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO traces (name, content, at_ns) VALUES (?, ?, ?) ON CONFLICT (name) "
                "DO UPDATE SET content = excluded.content, at_ns = excluded.at_ns",
                (name, content, at_ns),
            )

    def read(self, name: str) -> bytes | None:
        """See `TraceFiles`."""
        if not self._database.exists():
            return None
        with self._database.reading() as connection:
            sql = "SELECT content FROM traces WHERE name = ?"
            row = connection.execute(sql, (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def listed(self) -> list[TraceFile]:
        """See `TraceFiles`."""
        if not self._database.exists():
            return []
        with self._database.reading() as connection:
            rows = connection.execute("SELECT at_ns, octet_length(content), name FROM traces")
            return [TraceFile(*row) for row in rows]

    def remove(self, name: str) -> None:
        """See `TraceFiles`."""
        if self._database.exists():
            with self._database.writing() as connection:
                connection.execute("DELETE FROM traces WHERE name = ?", (name,))
