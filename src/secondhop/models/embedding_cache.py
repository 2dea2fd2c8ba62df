"""An embedder with a cache, so that every text is embedded only once."""

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
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
_Rows: TypeAlias = dict[str, Vectors]
"""{text: its vector}."""
_Calls: TypeAlias = dict[tuple[Kind, str], asyncio.Task[_Rows]]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text_sha BLOB NOT NULL,
    model_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (text_sha, model_id, kind)
)
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
        self._questions: OrderedDict[tuple[Kind, str], Vectors] = OrderedDict()
        self._guard = threading.Lock()
        self._under_way: WeakKeyDictionary[asyncio.AbstractEventLoop, _Calls]
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
        return await self._embedded("passage", texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like `embed_passages`; a query and a passage with the same text are cached apart."""
        return await self._embedded("query", texts)

    async def embed_requests(self, texts: Sequence[str]) -> Vectors:
        """Embed questions like passages, but cache them like queries."""
        return await self._embedded("request", texts)

    async def keep_passages(self, digests: AbstractSet[bytes]) -> None:
        """In an entity's cache, forget all questions, and all passages but those with these
        digests.

        All questions go, because it is not known which ones repeat words of a deleted text. The
        bytes of the passages are overwritten on disk, for every model. Other caches are left alone.
        """
        if self._of_entity:
            with self._guard:
                self._questions.clear()
            await asyncio.to_thread(self._delete_others, digests)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    async def _embedded(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        under_way = self._under_way.setdefault(loop, {})
        asked = list(dict.fromkeys(texts))
        if new := [text for text in asked if (kind, text) not in under_way]:
            call = loop.create_task(self._fetched(kind, new))
            under_way |= {(kind, text): call for text in new}
            call.add_done_callback(partial(_ended, under_way, kind, new))
        rows: _Rows = {}
        for call in {under_way[kind, text] for text in asked}:
            rows |= await asyncio.shield(call)  # other callers may wait for it, too
        return np.stack([rows[text] for text in texts])

    async def _fetched(self, kind: Kind, texts: Sequence[str]) -> _Rows:
        """The vectors of these texts, from memory, the file or the model."""
        in_file = kind == "passage" or not self._of_entity
        if in_file:
            known = await asyncio.to_thread(self._kept, kind, texts)
        else:
            known = self._remembered(kind, texts)
        new = [text for text in texts if text not in known]
        if not new:
            return known
        embed = self.wrapped.embed_queries if kind == "query" else self.wrapped.embed_passages
        with embedding_span(self.model_id, new):
            fresh = dict(zip(new, await embed(new), strict=True))
        if in_file:
            await asyncio.to_thread(self._keep, kind, fresh)
        else:
            self._remember(kind, fresh)
        return known | fresh

    def _remembered(self, kind: Kind, texts: Sequence[str]) -> _Rows:
        """The vectors that are in memory."""
        with self._guard:
            known = [text for text in texts if (kind, text) in self._questions]
            for text in known:
                self._questions.move_to_end((kind, text))
            return {text: self._questions[kind, text] for text in known}

    def _remember(self, kind: Kind, rows: _Rows) -> None:
        with self._guard:
            self._questions.update({(kind, text): row for text, row in rows.items()})
            while len(self._questions) > QUESTIONS_KEPT:
                self._questions.popitem(last=False)

    def _kept(self, kind: Kind, texts: Sequence[str]) -> _Rows:
        """The vectors that are in the file."""
        select = partial(_select, model_id=self.model_id, kind=kind, texts=texts)
        return self._file.attempt(select) or {}

    def _keep(self, kind: Kind, rows: _Rows) -> None:
        """Write these vectors to the file, all or none."""
        kept = [
            (text_digest(text), self.model_id, kind, row.astype("<f4").tobytes())
            for text, row in rows.items()
        ]
        statement = (
            "INSERT OR REPLACE INTO vectors (text_sha, model_id, kind, vector) VALUES (?, ?, ?, ?)"
        )
        self._file.attempt(lambda opened: opened.executemany(statement, kept))

    def _delete_others(self, digests: AbstractSet[bytes]) -> None:
        """Delete all other passages from the file and from its write-ahead log."""
        if self._file.path.exists():
            self._file.attempt(partial(_delete_all_but, digests=digests))
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
    return await asyncio.gather(embedder.embed_queries(texts), embed_requests(embedder, texts))


def past_the_cache(embedder: Embedder) -> Embedder:
    """The embedder inside all caches around it."""
    while isinstance(embedder, CachingEmbedder):
        embedder = embedder.wrapped
    return embedder


def text_digest(text: str) -> bytes:
    """The key of a text in the file."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _ended(under_way: _Calls, kind: Kind, texts: Sequence[str], call: asyncio.Task[_Rows]) -> None:
    for text in texts:
        del under_way[kind, text]
    if not call.cancelled():
        call.exception()  # mark it as seen, even if no caller is left


def _select(
    connection: sqlite3.Connection, *, model_id: str, kind: Kind, texts: Sequence[str]
) -> _Rows:
    select = "SELECT vector FROM vectors WHERE text_sha = ? AND model_id = ? AND kind = ?"
    found: _Rows = {}
    for text in texts:
        row = connection.execute(select, [text_digest(text), model_id, kind]).fetchone()
        if row is not None:
            found[text] = np.frombuffer(row[0], dtype="<f4")
    return found


def _delete_all_but(connection: sqlite3.Connection, digests: AbstractSet[bytes]) -> None:
    rows = connection.execute("SELECT DISTINCT text_sha FROM vectors WHERE kind = 'passage'")
    others = [(digest,) for (digest,) in rows if digest not in digests]
    statement = "DELETE FROM vectors WHERE text_sha = ? AND kind = 'passage'"
    connection.executemany(statement, others)
