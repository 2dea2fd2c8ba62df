"""The catalog of one entity: its memories, passages and lexical index, in one SQLite file.

One file an entity is the isolation, and why neither word weights nor speed depend on others.
All methods block; `EntityStore` calls them from worker threads.
"""

import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from secondhop.errors import CorruptStoreError
from secondhop.stores import lexicon
from secondhop.stores.analysis import analyzer_id, query_terms
from secondhop.stores.briefing import BriefingView
from secondhop.stores.catalog_keeping import (
    Decision,
    KeepingView,
    drop_keeping,
    drop_lost_links,
    keep,
    keepings,
)
from secondhop.stores.catalog_notes import (
    add_intent,
    count_change,
    count_small_change,
    read_meta,
    write_meta,
)
from secondhop.stores.catalog_writes import (
    drop_memories,
    fresh_postings,
    reindex_terms,
    store_memories,
)
from secondhop.stores.database import Database
from secondhop.stores.keeping import Keeping
from secondhop.stores.migrations import MIGRATIONS, check_version, migrate, schema_version
from secondhop.stores.records import (
    EmbeddedMemory,
    Memory,
    MemoryCard,
    Passage,
    PassageHit,
    StoreCounts,
    Topic,
)
from secondhop.stores.rows import (
    CARDS,
    MEMORY_COLUMNS,
    PASSAGE_COLUMNS,
    Row,
    card_of,
    memory_of,
    passage_of,
)

T = TypeVar("T")

_CHUNK = 500

TOPICS_VERSION = "2"
"""Of how memory maps are made; one that an older secondhop kept is made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whose catalog this is, and which vectors belong to it."""

    entity: str
    embedder_id: str
    dimension: int
    generation: int = 1
    """Which of the entity's collections holds its vectors; a reindex fills the next one."""


class Catalog:
    """What is stored for one entity. A file that does not exist yet reads as an empty store."""

    def __init__(self, path: Path, *, bm25: lexicon.Bm25 | None = None) -> None:
        self.path = path
        self._database = Database(path)
        self._bm25 = bm25 or lexicon.Bm25()
        self._ready = False

    def exists(self) -> bool:
        """Whether anything was ever stored; False too for a file whose creation was cut short."""
        if not self.path.is_file():
            self._ready = False
        if self._ready or not self.path.is_file():
            return self._ready
        with self._database.reading() as connection:
            found = check_version(connection, path=self.path, known=len(MIGRATIONS))
            self._ready = found == len(MIGRATIONS) and bool(read_meta(connection))
            return bool(found) and bool(read_meta(connection))

    def needs_upgrade(self) -> bool:
        """Whether the schema or the analyzer that wrote the lexical index is an older one."""
        with self._database.reading() as connection:
            old_schema = schema_version(connection) < len(MIGRATIONS)
            return old_schema or read_meta(connection).get("analyzer") != analyzer_id()

    def upgrade(self) -> None:
        """Bring an existing file to this schema and analyzer; needs the writer's lock."""
        with self._database.creating() as connection:
            migrate(connection, path=self.path)
        with self._database.reading() as connection:
            outdated = read_meta(connection).get("analyzer") != analyzer_id()
        if outdated:
            self.rebuild_lexicon()
        self._ready = True

    def rebuild_lexicon(self) -> None:
        """Analyse all stored text again; needs the writer's lock."""
        with self._database.writing() as connection:
            reindex_terms(connection)
            write_meta(connection, {"analyzer": analyzer_id()})

    def postings(self) -> dict[tuple[int, str], frozenset[bytes]]:
        """{(block, term): its entries}: the whole lexical index, to compare with another."""
        with self._reading() as connection:
            return {} if connection is None else lexicon.contents(connection)

    def create(self, identity: Identity) -> None:
        """Make the file; its owner must hold the writer's lock."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._database.creating() as connection:
            migrate(connection, path=self.path)
        self.adopt(identity)
        self._ready = True

    def identity(self) -> Identity:
        """Who this catalog belongs to.

        Raises:
            CorruptStoreError: the file does not say.
        """
        with self._database.reading() as connection:
            meta = read_meta(connection)
        try:
            return Identity(
                entity=json.loads(meta["entity"]),
                embedder_id=meta["embedder_id"],
                dimension=int(meta["dimension"]),
                generation=int(meta["generation"]),
            )
        except (KeyError, ValueError) as error:
            raise CorruptStoreError(
                f"{self.path} does not say whose memory it is ({error!r}); put a backup in place"
            ) from error

    def adopt(self, identity: Identity) -> None:
        """Write the identity, at creation or when a reindex is finished."""
        with self._database.writing() as connection:
            values = {
                "entity": json.dumps(identity.entity),
                "embedder_id": identity.embedder_id,
                "dimension": str(identity.dimension),
                "generation": str(identity.generation),
            }
            if "analyzer" not in read_meta(connection):
                values["analyzer"] = analyzer_id()
            write_meta(connection, values)

    # --- writing: an intent first, then the vectors, then everything else at once ---

    def intend(self, passage_ids: Sequence[str]) -> int:
        """Note that vectors of these passages are about to be put; the number of the note."""
        with self._database.writing() as connection:
            return add_intent(connection, "put", passage_ids)

    def store(
        self,
        memories: Sequence[EmbeddedMemory],
        *,
        intent: int,
        decide: Decision | None = None,
    ) -> int | None:
        """Store memories whose vectors are in the index, replacing their older versions.

        The intent becomes a 'drop' of the vectors that the older versions leave behind; its
        number, or None when nothing is left behind.

        Args:
            decide: what else changes with a single one, or not at all; sees the catalog without it.
        """
        with self._database.writing() as connection:
            changes = decide(KeepingView(connection)) if decide else ()
            replaced = drop_memories(connection, [m.memory.memory_id for m in memories])
            store_memories(connection, memories)
            stale = replaced - {p.passage_id for m in memories for p in m.passages}
            connection.execute("DELETE FROM outbox WHERE intent_no = ?", (intent,))
            keep(connection, changes)
            count_small_change(connection) if decide else count_change(connection)
            return add_intent(connection, "drop", sorted(stale)) if stale else None

    def remove(self, memory_ids: Sequence[str]) -> tuple[int, int | None]:
        """(how many of them existed, number of the 'drop' for their vectors)."""
        with self._database.writing() as connection:
            existing = [memory_id for (memory_id,) in _existing(connection, memory_ids)]
            if not existing:
                return 0, None
            stale = drop_memories(connection, existing)
            drop_keeping(connection, existing)
            count_change(connection)
            return len(existing), add_intent(connection, "drop", sorted(stale)) if stale else None

    def change(self, decide: Decision) -> None:
        """Change how memories stand; what they say stays, so nothing is indexed anew."""
        with self._database.writing() as connection:
            keep(connection, decide(KeepingView(connection)))

    def erase_leftovers(self) -> bool:
        """Write the file anew without anything that was deleted; False while others read it.

        Freed pages are zeroed already; what is left is the write-ahead log, and free space.
        """
        with self._database.creating() as connection:
            connection.execute("VACUUM")
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def settle(self, intent: int) -> None:
        """The vectors of this note are as the catalog says."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM outbox WHERE intent_no = ?", (intent,))

    def intents(self) -> dict[int, list[str]]:
        """{number: passage ids whose vectors the catalog does not know} of the open notes."""
        with self._reading() as connection:
            if connection is None:
                return {}
            noted = connection.execute("SELECT intent_no, passage_ids FROM outbox").fetchall()
            open_ids = {number: json.loads(passage_ids) for number, passage_ids in noted}
            return {
                number: [i for i in ids if i not in _memory_ids(connection, ids)]
                for number, ids in open_ids.items()
            }

    # --- reading ---

    def lexical(self, queries: Sequence[str], *, k: int) -> list[list[PassageHit]]:
        """For each query the best `k` by `lexicon.search`; equal scores by smaller passage id."""
        terms = [query_terms(query) for query in queries]
        with self._reading() as connection:
            if connection is None or k < 1:
                return [[] for _ in queries]
            found = lexicon.search(connection, terms, settings=self._bm25)
            near = [_best(numbers, scores, k=k) for numbers, scores in found]
            rows = _in_chunks(
                connection,
                "SELECT passage_no, passage_id, memory_id FROM passages WHERE passage_no IN",
                [number for best in near for number in best],
            )
            known = {number: (passage_id, memory_id) for number, passage_id, memory_id in rows}
        return [
            sorted(
                (PassageHit(*known[number], score) for number, score in best.items()),
                key=lambda hit: (-hit.score, hit.passage_id),
            )[:k]
            for best in near
        ]

    def memory_ids(self, passage_ids: Sequence[str]) -> dict[str, str]:
        """{passage id: memory id} of the stored ones."""
        with self._reading() as connection:
            return {} if connection is None else _memory_ids(connection, passage_ids)

    def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """See `MemoryReader.cards`."""
        with self._reading() as connection:
            cards = map(card_of, _in_chunks(connection, f"{CARDS} WHERE memory_id IN", memory_ids))
            return {card.memory_id: card for card in cards}

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """See `MemoryReader.passages`."""
        with self._reading() as connection:
            sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE passage_id IN"
            passages = map(passage_of, _in_chunks(connection, sql, passage_ids))
            return {passage.passage_id: passage for passage in passages}

    def memory(self, memory_id: str) -> Memory | None:
        """See `MemoryReader.memory`."""
        with self._reading() as connection:
            sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE memory_id IN"
            return next(map(memory_of, _in_chunks(connection, sql, [memory_id])), None)

    def whole(self, memory_id: str) -> tuple[Memory, tuple[Passage, ...]] | None:
        """A memory with its passages in order, or None."""
        memory = self.memory(memory_id)
        if memory is None:
            return None
        with self._reading() as connection:
            sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE memory_id IN"
            found = map(passage_of, _in_chunks(connection, sql, [memory_id]))
            return memory, tuple(sorted(found, key=lambda passage: passage.ordinal))

    def content_hashes(self, *, origin: str | None = None) -> Mapping[str, str]:
        """See `MemoryWriter.content_hashes`."""
        with self._reading() as connection:
            if connection is None:
                return {}
            return dict(
                connection.execute(
                    "SELECT memory_id, content_hash FROM memories WHERE ?1 IS NULL OR origin = ?1",
                    (origin,),
                )
            )

    def look(self, view: Callable[[KeepingView], T]) -> T:
        """What a look at how memories stand tells."""
        with self._reading() as connection:
            return view(KeepingView(connection))

    def brief(
        self, look: Callable[[BriefingView], T], *, now: datetime, until: datetime | None
    ) -> T:
        """What a look at what a session start may show tells; moments as of `BriefingView`."""
        with self._reading() as connection:
            return look(BriefingView(connection, now=now, until=until))

    def keepings(self) -> dict[str, Keeping]:
        """Of every memory that does not stand as it was stored."""
        with self._reading() as connection:
            return {} if connection is None else keepings(connection)

    def written_after(self, moment: datetime) -> list[str]:
        """Ids of what was written later than that."""
        with self._reading() as connection:
            if connection is None:
                return []
            dated = connection.execute("SELECT memory_id, created_at FROM memories")
            return [found for found, at in dated if datetime.fromisoformat(at) > moment]

    def wrong_postings(self) -> list[str]:
        """Terms whose entries are not what the stored text gives; sorted."""
        with self._reading() as connection:
            if connection is None:
                return []
            kept, fresh = lexicon.contents(connection), fresh_postings(connection)
        return sorted({key[1] for key in kept.keys() | fresh if kept.get(key) != fresh.get(key)})

    def file_faults(self) -> list[str]:
        """What SQLite's own check finds; [] for a sound file."""
        with self._reading() as connection:
            if connection is None:
                return []
            told = [fault for (fault,) in connection.execute("PRAGMA integrity_check(20)")]
            return [] if told == ["ok"] else told

    def drop_lost_links(self) -> None:
        """Forget how memories stood that are gone, and ids of gone ones where others name them."""
        with self._database.writing() as connection:
            drop_lost_links(connection)

    def passage_ids(self) -> list[str]:
        """Of everything stored, by memory and ordinal."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute("SELECT passage_id FROM passages ORDER BY memory_id, ordinal")
            return [passage_id for (passage_id,) in rows]

    def page(self, *, after: str, limit: int) -> list[tuple[Memory, tuple[Passage, ...]]]:
        """The next `limit` memories whose id is greater than `after`, with their passages."""
        with self._reading() as connection:
            if connection is None:
                return []
            memories = connection.execute(
                f"SELECT {MEMORY_COLUMNS} FROM memories WHERE memory_id > ? "
                f"ORDER BY memory_id LIMIT ?",
                (after, limit),
            ).fetchall()
            sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE memory_id = ? ORDER BY ordinal"
            return [
                (memory_of(row), tuple(map(passage_of, connection.execute(sql, row[:1]))))
                for row in memories
            ]

    def openings(
        self, memory_ids: Sequence[str], *, characters: int
    ) -> list[tuple[str, str, list[str]]]:
        """(title, first characters of the text, passage ids) of each, in the order given."""
        with self._reading() as connection:
            found = _in_chunks(connection, f"{CARDS} WHERE memory_id IN", memory_ids)
            titles = {card.memory_id: card.title for card in map(card_of, found)}
            members: dict[str, list[Passage]] = {memory_id: [] for memory_id in titles}
            sql = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE memory_id IN"
            for passage in map(passage_of, _in_chunks(connection, sql, memory_ids)):
                members[passage.memory_id].append(passage)
        return [
            (
                titles[memory_id],
                next((p.text[:characters] for p in members[memory_id] if p.ordinal == 0), ""),
                [p.passage_id for p in sorted(members[memory_id], key=lambda p: p.ordinal)],
            )
            for memory_id in memory_ids
            if memory_id in titles
        ]

    def counts(self, *, vectors: int, embedder: str) -> StoreCounts:
        """What is stored; the caller knows the number of vectors."""
        memories = passages = tokens = pending = 0
        with self._reading() as connection:
            if connection is not None:
                (memories,) = connection.execute("SELECT count(*) FROM memories").fetchone()
                (pending,) = connection.execute("SELECT count(*) FROM outbox").fetchone()
                passages, tokens = connection.execute(
                    "SELECT count(*), coalesce(sum(tokens), 0) FROM passages"
                ).fetchone()
        return StoreCounts(
            memories=memories,
            passages=passages,
            tokens=tokens,
            vectors=vectors,
            pending=pending,
            schema_version=len(MIGRATIONS),
            embedder=embedder,
        )

    def passage_count(self) -> int:
        """Passages stored."""
        with self._reading() as connection:
            return 0 if connection is None else int(read_meta(connection).get("passages", 0))

    def changes(self) -> int:
        """Grows with every put and delete."""
        with self._reading() as connection:
            return 0 if connection is None else int(read_meta(connection).get("changes", 0))

    def topics(self) -> tuple[int, list[Topic]]:
        """(the `changes` they were made at, -1 when they never were, or otherwise; the topics)."""
        with self._reading() as connection:
            meta = {} if connection is None else read_meta(connection)
        if meta.get("topics_version") != TOPICS_VERSION:
            return -1, []
        return int(meta.get("topics_at", -1)), [
            Topic(**fields) for fields in json.loads(meta.get("topics", "[]"))
        ]

    def keep_topics(self, topics: Sequence[Topic], *, made_at: int) -> None:
        """Remember the memory map, and at which `changes` it was made."""
        fields = [{"label": t.label, "size": t.size, "titles": list(t.titles)} for t in topics]
        with self._database.writing() as connection:
            write_meta(
                connection,
                {
                    "topics": json.dumps(fields),
                    "topics_at": str(made_at),
                    "topics_version": TOPICS_VERSION,
                },
            )

    def close(self) -> None:
        """Close the file; the catalog cannot be used after."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection | None, None, None]:
        if not self.exists():
            yield None
            return
        with self._database.reading() as connection:
            yield connection


def _best(
    numbers: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], *, k: int
) -> dict[int, float]:
    """{passage number: score} of the best `k`, and of all that equal the k-th."""
    # all that equal it: the passage id decides between them
    kth = np.partition(scores, -k)[-k] if len(scores) > k else 0.0
    best = np.flatnonzero(scores >= kth)
    return dict(zip(numbers[best].tolist(), scores[best].tolist(), strict=True))


def _existing(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> list[Row]:
    return list(
        _in_chunks(connection, "SELECT memory_id FROM memories WHERE memory_id IN", memory_ids)
    )


def _memory_ids(connection: sqlite3.Connection, passage_ids: Sequence[str]) -> dict[str, str]:
    sql = "SELECT passage_id, memory_id FROM passages WHERE passage_id IN"
    return dict(_in_chunks(connection, sql, passage_ids))


def _in_chunks(
    connection: sqlite3.Connection | None, sql: str, values: Sequence[Any]
) -> Iterable[Row]:
    """Rows of `sql (?, ?, …)` for all the values, as many at a time as SQLite takes at once."""
    values = list(dict.fromkeys(values))
    for start in range(0, len(values) if connection else 0, _CHUNK):
        chunk = values[start : start + _CHUNK]
        assert connection is not None
        yield from connection.execute(f"{sql} ({','.join('?' * len(chunk))})", chunk)
