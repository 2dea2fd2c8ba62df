"""An embedder that remembers its vectors: every text is embedded once, and not once a run."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from secondhop.models.cache_file import CacheFile
from secondhop.models.embedder import Embedder, Vectors
from secondhop.telemetry import embedding_span

KEPT_QUERIES = 4_000
"""Of an entity; the oldest go first. About 5 kB each on disk, with 384 dimensions."""

Kind: TypeAlias = Literal["query", "passage", "request"]
"""request: a question embedded as passages are, to be held against cues."""
_Asked: TypeAlias = tuple[Kind, str]
_Call: TypeAlias = asyncio.Task[dict[str, Vectors]]

_TRIM_EVERY = 500
"""Queries that are added between two trims; the file is trimmed when it is opened, too."""
_LOOKUPS_A_STATEMENT = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text_sha BLOB NOT NULL,
    model_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    vector BLOB NOT NULL,
    added_ns INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (text_sha, model_id, kind)
) WITHOUT ROWID
"""
_ADDED = "ALTER TABLE vectors ADD COLUMN added_ns INTEGER NOT NULL DEFAULT 0"
"""For files of version 0.1."""
_BY_AGE = "CREATE INDEX IF NOT EXISTS asked_by_age ON vectors (added_ns) WHERE kind <> 'passage'"
_TRIM = (
    "DELETE FROM vectors WHERE kind <> 'passage' AND added_ns <= (SELECT added_ns FROM vectors"
    " WHERE kind <> 'passage' ORDER BY added_ns DESC LIMIT 1 OFFSET ?)"
)


class CachingEmbedder:
    """Wraps an embedder: texts that are found in the cache file are not embedded again.

    The file holds float32 vectors by sha256 of the text, model and kind. A cache is never a reason
    to fail: what cannot be read is embedded, what cannot be written is logged once. One file a
    store and entity; made when first needed. A text that is being embedded is not embedded beside
    that: the first users of a process all need the playbooks. Vectors can be turned back into
    words, roughly: `purge` what is deleted.
    """

    def __init__(self, wrapped: Embedder, path: Path, *, of_entity: bool = False) -> None:
        """`of_entity`: passages are those of one entity's memories, and queries its questions.

        What people ask has no end, so its oldest queries go; playbooks ask the same for ever.
        """
        self.wrapped, self.model_id = wrapped, wrapped.model_id
        self._of_entity, self._untrimmed = of_entity, 0
        self._under_way: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Asked, _Call]]
        self._under_way = WeakKeyDictionary()
        self._file = CacheFile(
            path,
            name="the embedding cache",
            without="texts are embedded again each time",
            prepare=self._prepare,
        )

    @property
    def dimension(self) -> int:
        """The wrapped embedder's."""
        return self.wrapped.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length, in order."""
        return await self._embedded("passage", texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages; queries are kept apart from passages of the same text."""
        return await self._embedded("query", texts)

    async def embed_requests(self, texts: Sequence[str]) -> Vectors:
        """As `embed_passages`, and kept as long as queries are."""
        return await self._embedded("request", texts)

    async def purge(self, texts: Sequence[str]) -> None:
        """Forget these texts for every model, and overwrite where they stood."""
        gone = [(text_digest(text),) for text in texts]
        statement = "DELETE FROM vectors WHERE text_sha = ?"
        await asyncio.to_thread(self._forget, lambda opened: opened.executemany(statement, gone))

    async def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """Of an entity's cache, purge queries and what is no passage of it any more.

        Which queries were made of the words of a text that is gone, nothing tells. Any other cache
        is left alone.

        Args:
            digests: of the texts of all its passages (`text_digest`).
        """
        if self._of_entity:
            await asyncio.to_thread(self._forget, partial(_delete_all_but, digests=digests))

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    async def _embedded(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        under_way = self._under_way.setdefault(loop, {})
        asked: list[_Asked] = [(kind, text) for text in dict.fromkeys(texts)]
        if new := [one for one in asked if one not in under_way]:
            fetching = self._fetched(kind, [text for _, text in new])
            call = loop.create_task(fetching)
            under_way |= dict.fromkeys(new, call)
            call.add_done_callback(partial(_ended, under_way, new))
        calls = {under_way[one] for one in asked}
        rows: dict[str, Vectors] = {}
        for call in calls:
            rows |= await asyncio.shield(call)  # a caller that goes leaves it to the others
        return np.stack([rows[text] for text in texts])

    async def _fetched(self, kind: Kind, texts: Sequence[str]) -> dict[str, Vectors]:
        """From the file or the model."""
        rows = await asyncio.to_thread(self._kept, kind, texts)
        if missing := [text for text in texts if text not in rows]:
            model = self.wrapped
            with embedding_span(self.model_id, missing):
                embed = model.embed_queries if kind == "query" else model.embed_passages
                fresh = dict(zip(missing, await embed(missing), strict=True))
            await asyncio.to_thread(self._keep, kind, fresh)
            rows |= fresh
        return rows

    def _kept(self, kind: Kind, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are known, by text."""
        scope = (self.model_id, kind)
        return self._file.attempt(lambda opened: _select(opened, scope, texts)) or {}

    def _keep(self, kind: Kind, rows: Mapping[str, Vectors]) -> None:
        """Keep these vectors, all or none."""
        now = time.time_ns()
        kept = [
            (text_digest(text), self.model_id, kind, row.astype("<f4").tobytes(), now + number)
            for number, (text, row) in enumerate(rows.items())
        ]
        statement = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)"
        self._file.attempt(lambda opened: opened.executemany(statement, kept))
        self._untrimmed += len(rows) if kind != "passage" else 0
        if self._untrimmed >= _TRIM_EVERY:
            self._file.attempt(self._trim)

    def _forget(self, delete: Callable[[sqlite3.Connection], object]) -> None:
        """Also in the write-ahead log."""
        if self._file.path.exists():
            self._file.attempt(delete)
            emptied = "PRAGMA wal_checkpoint(TRUNCATE)"
            self._file.attempt(lambda opened: opened.execute(emptied).fetchall())

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(_SCHEMA)
        columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(vectors)")}
        if "added_ns" not in columns:
            connection.execute(_ADDED)
        connection.execute(_BY_AGE)
        self._trim(connection)

    def _trim(self, connection: sqlite3.Connection) -> None:
        self._untrimmed = 0
        if self._of_entity:
            connection.execute(_TRIM, (KEPT_QUERIES,))


async def embed_requests(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Questions to be held against cues: texts of one kind, embedded without a query's prefix."""
    if isinstance(embedder, CachingEmbedder):
        return await embedder.embed_requests(texts)
    return await embedder.embed_passages(texts)


def past_the_cache(embedder: Embedder) -> Embedder:
    """The model itself, without what remembers its vectors."""
    while isinstance(embedder, CachingEmbedder):
        embedder = embedder.wrapped
    return embedder


def text_digest(text: str) -> bytes:
    """What stands for a text in the file."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _ended(under_way: dict[_Asked, _Call], asked: Sequence[_Asked], call: _Call) -> None:
    for one in asked:
        del under_way[one]
    if not call.cancelled():
        call.exception()  # seen, although no caller may be left


def _select(
    connection: sqlite3.Connection, scope: tuple[str, str], texts: Sequence[str]
) -> dict[str, Vectors]:
    by_sha = {text_digest(text): text for text in texts}
    shas, found = list(by_sha), dict[str, Vectors]()
    for start in range(0, len(shas), _LOOKUPS_A_STATEMENT):
        chunk = shas[start : start + _LOOKUPS_A_STATEMENT]
        marks = ",".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT text_sha, vector FROM vectors WHERE text_sha IN ({marks})"
            " AND model_id = ? AND kind = ?",
            [*chunk, *scope],
        )
        found |= {by_sha[sha]: np.frombuffer(blob, dtype="<f4") for sha, blob in rows}
    return found


def _delete_all_but(connection: sqlite3.Connection, digests: AbstractSet[bytes]) -> None:
    rows = connection.execute("SELECT DISTINCT text_sha FROM vectors WHERE kind = 'passage'")
    others = [(digest,) for (digest,) in rows if digest not in digests]
    statement = "DELETE FROM vectors WHERE text_sha = ? AND kind = 'passage'"
    connection.executemany(statement, others)
    connection.execute("DELETE FROM vectors WHERE kind <> 'passage'")
