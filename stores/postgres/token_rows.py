"""Tokens of the HTTP server as rows, so that all workers know the same ones."""

from secondhop.stores.postgres.database import PostgresDatabase


class TokenRows:
    """Texts by token id. Only the HTTP server knows what they mean. Methods block."""

    def __init__(self, database: PostgresDatabase) -> None:
        """`database`: bound to no entity, because only such a handle sees these rows."""
        self._database = database

    def listed(self) -> list[str]:
        """All texts, in the order in which they were added; [] if there is no table yet."""
        if not self._database.exists():
            return []
        with self._database.reading() as connection:
            if self._database.version(connection) < self._database.newest:
                return []
            rows = connection.execute("SELECT token FROM tokens ORDER BY added")
            return [text for (text,) in rows]

    def add(self, token_id: str, text: str) -> None:
        """Add a token."""
        self._database.migrate()
        with self._database.writing() as connection:
            sql = "INSERT INTO tokens (token_id, token) VALUES (?, ?)"
            connection.execute(sql, (token_id, text))

    def remove(self, token_id: str) -> None:
        """Delete a token; no error if there is none."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM tokens WHERE token_id = ?", (token_id,))
