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
    """The queue. One worker at a time works on an entity, for half an hour at most: after that it
    counts as dead. Methods block."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def note(self, entity: str) -> None:
        """Note that memories of the entity were written."""
        self._run(_NOTE, entity_slug(entity), entity)

    def claim(self, entity: str) -> bool:
        """Claim the entity until `release`. False if it does not wait or another worker has it."""
        return bool(self._run(_OWN, entity_slug(entity)))

    def claim_left(self) -> str | None:
        """Claim an entity that has waited for two minutes, and return its name, or None.

        The worker that wrote it has abandoned it.
        """
        rows = self._run(_LEFT)
        return str(rows[0][0]) if rows else None

    def release(self, entity: str, *, done: bool) -> None:
        """End the claim.

        Args:
            done: the entity no longer waits, unless memories were written meanwhile. False: it
            waits as before.
        """
        if done:
            self._run(_DONE, entity_slug(entity))
        self._run(_FREED, entity_slug(entity))

    def waits(self, entity: str) -> bool:
        """Whether the entity waits or is being worked on."""
        return bool(self._run(_WAITS, entity_slug(entity)))

    def _run(self, sql: LiteralString, *values: str) -> list[tuple[Any, ...]]:
        if not self._server.has_schema():
            return []
        with self._server.transaction("", writes=True) as connection:
            cursor = connection.execute(sql, values)
            return cursor.fetchall() if cursor.description else []
