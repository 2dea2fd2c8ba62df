"""An embedder with a cache, so that every text is embedded only once."""

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
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

QUESTIONS_KEPT = 500
"""Questions of an entity kept in memory, least recently used dropped first; 1.5 kB each at 384
dimensions."""

Kind: TypeAlias = Literal["query", "passage", "request"]
"""A "request" is a question embedded like a passage, to compare it with cues."""
_Asked: TypeAlias = tuple[Kind, str]
_Rows: TypeAlias = dict[_Asked, Vectors]
_Call: TypeAlias = asyncio.Task[_Rows]

_LOOKUPS_A_STATEMENT = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text_sha BLOB NOT NULL,
    model_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (text_sha, model_id, kind)
) WITHOUT ROWID
"""


class CachingEmbedder:
    """Wraps an embedder: a text whose vector is known is not embedded again.

    A file holds float32 vectors by sha256 of the text, model and kind. There is one file per store
    and entity, made when first needed. The cache never causes a failure: what cannot be read is
    embedded, and a failed write is logged once. Concurrent calls for one text share one embedding,
    because the first users of a process all need the playbooks. Vectors can roughly be turned back
    into words, so `keep_passages` deletes those of deleted texts.
    """

    def __init__(self, wrapped: Embedder, path: Path, *, of_entity: bool = False) -> None:
        """`of_entity`: the passages are of one entity's memories, and the queries its questions.

        Then the last questions stay in memory and never reach the file: few are asked again, and
        no recall waits for the disk. (The playbooks' queries never change, so they are filed.)
        """
        self.wrapped, self.model_id = wrapped, wrapped.model_id
        self._of_entity = of_entity
        self._questions: OrderedDict[_Asked, Vectors] = OrderedDict()
        self._guard = threading.Lock()
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
        """Length of a vector."""
        return self.wrapped.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length, in order."""
        return await self._embedded([("passage", text) for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like `embed_passages`; a query and a passage with the same text are cached apart."""
        return await self._embedded([("query", text) for text in texts])

    async def embed_requests(self, texts: Sequence[str]) -> Vectors:
        """Embed questions like passages, but cache them like queries."""
        return await self._embedded([("request", text) for text in texts])

    async def embed_both(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """(vectors of `embed_queries`, vectors of `embed_requests`), computed in parallel."""
        queries: list[_Asked] = [("query", text) for text in texts]
        requests: list[_Asked] = [("request", text) for text in texts]
        rows = await self._embedded(queries + requests)
        return rows[: len(texts)], rows[len(texts) :]

    async def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """In an entity's cache, forget all questions, and delete passages that no longer exist.

        They are deleted for every model, and their bytes are overwritten on disk. All questions go,
        because it is not known which ones repeat words of a deleted text.

        Args:
            digests: `text_digest` of every passage of the entity.
        """
        with self._guard:
            self._questions.clear()
        await asyncio.to_thread(self._forget, partial(_delete_all_but, digests=digests))

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    async def _embedded(self, texts: Sequence[_Asked]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        under_way = self._under_way.setdefault(loop, {})
        asked = list(dict.fromkeys(texts))
        if new := [one for one in asked if one not in under_way]:
            call = loop.create_task(self._fetched(new))
            under_way |= dict.fromkeys(new, call)
            call.add_done_callback(partial(_ended, under_way, new))
        calls = {under_way[one] for one in asked}
        rows: _Rows = {}
        for call in calls:
            rows |= await asyncio.shield(call)  # other callers may wait for it, too
        return np.stack([rows[one] for one in texts])

    async def _fetched(self, asked: Sequence[_Asked]) -> _Rows:
        """The vectors of these texts, from memory, the file or the model."""
        rows = self._remembered(asked)
        if filed := [one for one in asked if self._is_filed(one)]:
            rows |= await asyncio.to_thread(self._kept, filed)
        queries = [one for one in asked if one not in rows and one[0] == "query"]
        others = [one for one in asked if one not in rows and one[0] != "query"]
        if not queries and not others:
            return rows
        with embedding_span(self.model_id, [text for _, text in (*queries, *others)]):
            parts = await asyncio.gather(
                self._by_model(self.wrapped.embed_queries, queries),
                self._by_model(self.wrapped.embed_passages, others),
            )
        fresh = parts[0] | parts[1]
        self._remember({one: row for one, row in fresh.items() if not self._is_filed(one)})
        if kept := {one: row for one, row in fresh.items() if self._is_filed(one)}:
            await asyncio.to_thread(self._keep, kept)
        return rows | fresh

    def _is_filed(self, asked: _Asked) -> bool:
        """Whether the vector of this text goes into the file."""
        return not self._of_entity or asked[0] == "passage"

    def _remembered(self, asked: Sequence[_Asked]) -> _Rows:
        """The vectors that are in memory."""
        with self._guard:
            known = [one for one in asked if one in self._questions]
            for one in known:
                self._questions.move_to_end(one)
            return {one: self._questions[one] for one in known}

    def _remember(self, rows: Mapping[_Asked, Vectors]) -> None:
        with self._guard:
            self._questions.update(rows)
            while len(self._questions) > QUESTIONS_KEPT:
                self._questions.popitem(last=False)

    async def _by_model(
        self, embed: Callable[[Sequence[str]], Awaitable[Vectors]], asked: Sequence[_Asked]
    ) -> _Rows:
        if not asked:
            return {}
        return dict(zip(asked, await embed([text for _, text in asked]), strict=True))

    def _kept(self, asked: Sequence[_Asked]) -> _Rows:
        """The vectors that are in the file."""
        return self._file.attempt(lambda opened: _select(opened, self.model_id, asked)) or {}

    def _keep(self, rows: _Rows) -> None:
        """Write these vectors to the file, all or none."""
        kept = [
            (text_digest(text), self.model_id, kind, row.astype("<f4").tobytes())
            for (kind, text), row in rows.items()
        ]
        statement = (
            "INSERT OR REPLACE INTO vectors (text_sha, model_id, kind, vector) VALUES (?, ?, ?, ?)"
        )
        self._file.attempt(lambda opened: opened.executemany(statement, kept))

    def _forget(self, delete: Callable[[sqlite3.Connection], object]) -> None:
        """Delete from the file and from its write-ahead log."""
        if self._file.path.exists():
            self._file.attempt(delete)
            emptied = "PRAGMA wal_checkpoint(TRUNCATE)"
            self._file.attempt(lambda opened: opened.execute(emptied).fetchall())

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(_SCHEMA)
        if self._of_entity:  # earlier versions kept questions here
            connection.execute("DELETE FROM vectors WHERE kind <> 'passage'")


async def embed_requests(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embed questions for comparison with cues: like passages, without a query prefix."""
    if isinstance(embedder, CachingEmbedder):
        return await embedder.embed_requests(texts)
    return await embedder.embed_passages(texts)


async def embed_both(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
    """(vectors of questions to search passages with, vectors to compare with cues)."""
    if isinstance(embedder, CachingEmbedder):
        return await embedder.embed_both(texts)
    return await asyncio.gather(embedder.embed_queries(texts), embedder.embed_passages(texts))


def past_the_cache(embedder: Embedder) -> Embedder:
    """The embedder inside all caches around it."""
    while isinstance(embedder, CachingEmbedder):
        embedder = embedder.wrapped
    return embedder


def text_digest(text: str) -> bytes:
    """The key of a text in the file."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _ended(under_way: dict[_Asked, _Call], asked: Sequence[_Asked], call: _Call) -> None:
    for one in asked:
        del under_way[one]
    if not call.cancelled():
        call.exception()  # mark it as seen, even if no caller is left


def _select(connection: sqlite3.Connection, model_id: str, asked: Sequence[_Asked]) -> _Rows:
    by_sha: dict[tuple[Kind, bytes], _Asked] = {
        (kind, text_digest(text)): (kind, text) for kind, text in asked
    }
    shas, found = list({sha for _, sha in by_sha}), _Rows()
    for start in range(0, len(shas), _LOOKUPS_A_STATEMENT):
        chunk = shas[start : start + _LOOKUPS_A_STATEMENT]
        marks = ",".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT kind, text_sha, vector FROM vectors WHERE text_sha IN ({marks})"
            " AND model_id = ?",
            [*chunk, model_id],
        )
        found |= {
            by_sha[kind, sha]: np.frombuffer(blob, dtype="<f4")
            for kind, sha, blob in rows
            if (kind, sha) in by_sha
        }
    return found


def _delete_all_but(connection: sqlite3.Connection, digests: AbstractSet[bytes]) -> None:
    rows = connection.execute("SELECT DISTINCT text_sha FROM vectors WHERE kind = 'passage'")
    others = [(digest,) for (digest,) in rows if digest not in digests]
    statement = "DELETE FROM vectors WHERE text_sha = ? AND kind = 'passage'"
    connection.executemany(statement, others)
