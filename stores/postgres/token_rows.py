"""Tokens of the HTTP server as rows, so that all workers know the same ones."""

from secondhop.stores.postgres.database import PostgresDatabase


class TokenRows:
    """Texts by the id of their token; what they say is the server's. Methods block."""

    def __init__(self, database: PostgresDatabase) -> None:
        """`database`: bound to no entity; only there are these rows seen."""
        self._database = database

    def listed(self) -> list[str]:
        """In the order in which they were added; [] where no table was made yet."""
        if not self._database.exists():
            return []
        with self._database.reading() as connection:
            if self._database.version(connection) < self._database.newest:
                return []
            rows = connection.execute("SELECT token FROM tokens ORDER BY added")
            return [text for (text,) in rows]

    def add(self, token_id: str, text: str) -> None:
        """Keep a new one."""
        self._database.migrate()
        with self._database.writing() as connection:
            sql = "INSERT INTO tokens (token_id, token) VALUES (?, ?)"
            connection.execute(sql, (token_id, text))

    def remove(self, token_id: str) -> None:
        """Delete it; none is no error."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM tokens WHERE token_id = ?", (token_id,))
