"""Keeps the queue of entities whose memories wait for cues, as rows that workers claim."""

from typing import Any, LiteralString

from secondhop.stores.entity_names import entity_slug
from secondhop.stores.postgres.server import PostgresServer

_NOTE = """INSERT INTO annotating (entity, name) VALUES (%s, %s) ON CONFLICT (entity)
    DO UPDATE SET written_at = now(), is_new = TRUE"""
_FREE = "(claimed_until IS NULL OR claimed_until < now())"
_CLAIM = f"""UPDATE annotating SET is_new = FALSE, claimed_until = now() + interval '1800 s'
    WHERE entity = (SELECT entity FROM annotating WHERE {_FREE} AND """
_OWN = f"{_CLAIM} entity = %s FOR UPDATE SKIP LOCKED) RETURNING name"
_LEFT = f"""{_CLAIM} written_at < now() - interval '120 s'
    ORDER BY written_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name"""
_DONE = "DELETE FROM annotating WHERE entity = %s AND NOT is_new"
_FREED = "UPDATE annotating SET claimed_until = NULL WHERE entity = %s"
_WAITS = "SELECT 1 FROM annotating WHERE entity = %s"


class AnnotationRows:
    """Each entity is worked on by one worker at a time, for half an hour at most: after that the
    worker counts as dead. Methods block."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def note(self, entity: str) -> None:
        """Memories of the entity were written."""
        self._run(_NOTE, entity_slug(entity), entity)

    def claim(self, entity: str) -> bool:
        """Whether it waits and no other worker is at it: then this one is, until `release`."""
        return bool(self._run(_OWN, entity_slug(entity)))

    def claim_left(self) -> str | None:
        """As `claim`, for one that has waited for two minutes: the worker that wrote left it."""
        rows = self._run(_LEFT)
        return str(rows[0][0]) if rows else None

    def release(self, entity: str, *, done: bool) -> None:
        """End the claim.

        Args:
            done: nothing waits any more, but what was written meanwhile; False: it waits as before.
        """
        if done:
            self._run(_DONE, entity_slug(entity))
        self._run(_FREED, entity_slug(entity))

    def waits(self, entity: str) -> bool:
        """Whether it waits, or is worked on."""
        return bool(self._run(_WAITS, entity_slug(entity)))

    def _run(self, sql: LiteralString, *values: str) -> list[tuple[Any, ...]]:
        if not self._server.has_schema():
            return []
        with self._server.transaction("", writes=True) as connection:
            cursor = connection.execute(sql, values)
            return cursor.fetchall() if cursor.description else []
