"""Lexical search: an inverted index in the database, and BM25 as a share of the best possible.

Why not FTS5? Its idf is about 0 for a word that half of the passages contain, so that in a store of
one to three memories all scores are the same. And its bm25() takes 56 to 100 ms for four or five
words over 100,000 passages; six words here take 9 to 15 ms.

`postings` has one row for each block of 1,024 passages and each term in it: the passages that
contain the term. The block comes first in the key, so that what a put adds lies together.
"""

import json
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.stores.catalog.analysis import QueryTerms
from secondhop.stores.database import Connection

_BLOCK = 1_024
ENTRY = np.dtype([("slot", "<u2"), ("title", "u1"), ("text", "u1"), ("length", "<u4")])
_PACKED = struct.Struct("<HBBI")
_SAMPLED_BLOCKS = 4
K1 = 1.2
"""How soon repeating a word stops helping; 1.2 in the source and in FTS5."""
B = 0.75
"""How much long passages are penalised, 0..1; 0.75 in the source and in FTS5."""
_TITLE_WEIGHT = 2.0
"""A word in the title or a heading counts this many times."""
_MOST_TERMS = 32
"""A longer query is cut to its rarest terms, which bounds the work."""
_JOINED = """
    FROM json_each(?) AS block CROSS JOIN json_each(?) AS term
    CROSS JOIN postings
    WHERE postings.block = CAST(block.value AS INTEGER) AND postings.term = term.value
"""
_ROWS = f"SELECT postings.block, postings.term, entries {_JOINED}"
_EXTENT = """SELECT (SELECT value FROM meta WHERE key = 'passages'),
    (SELECT value FROM meta WHERE key = 'terms'),
    (SELECT min(passage_no) FROM passages), (SELECT max(passage_no) FROM passages)"""
"""One subquery each: if asked for min and max at once, SQLite reads the whole table."""
_SIZES = f"SELECT term.value, sum(length(entries)) {_JOINED} GROUP BY term.value"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPassage:
    """A passage as the index sees it."""

    passage_no: int
    title_terms: Sequence[str]
    text_terms: Sequence[str]

    @property
    def length(self) -> int:
        """Number of terms in title, heading and text."""
        return len(self.title_terms) + len(self.text_terms)


def add(connection: Connection, passages: Iterable[IndexedPassage]) -> None:
    """Add passages that are not in the index yet."""
    fresh: dict[int, dict[str, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    pack = _PACKED.pack
    for passage in passages:
        block, slot = divmod(passage.passage_no, _BLOCK)
        entries, length = fresh[block], passage.length
        in_title, in_text = Counter(passage.title_terms), Counter(passage.text_terms)
        for term, count in in_text.items():
            entries[term].append(pack(slot, _byte(in_title.pop(term, 0)), _byte(count), length))
        for term, count in in_title.items():
            entries[term].append(pack(slot, _byte(count), 0, length))
    connection.executemany(
        # || joins the bytes as they are; only the type has to be given
        "INSERT INTO postings (block, term, entries) VALUES (?, ?, ?) ON CONFLICT (block, term) "
        "DO UPDATE SET entries = CAST(postings.entries || excluded.entries AS BLOB)",
        [
            (block, term, b"".join(entries[term]))
            for block, entries in sorted(fresh.items())
            for term in sorted(entries)
        ],
    )


def _byte(count: int) -> int:
    return count if count < 256 else 255  # from there on, repetition adds nothing: see k1


def remove(connection: Connection, passages: Iterable[IndexedPassage]) -> None:
    """Remove passages. Their terms must be the same as when they were added."""
    slots: dict[int, set[int]] = defaultdict(set)
    terms: dict[int, set[str]] = defaultdict(set)
    for passage in passages:
        block, slot = divmod(passage.passage_no, _BLOCK)
        slots[block].add(slot)
        terms[block].update(passage.title_terms, passage.text_terms)
    for block, leaving in slots.items():
        wanted = (json.dumps([block]), json.dumps(sorted(terms[block])))
        rows = connection.execute(_ROWS, wanted).fetchall()
        if not rows:
            continue
        entries = np.frombuffer(b"".join(row[2] for row in rows), dtype=ENTRY)
        stays = ~np.isin(entries["slot"], list(leaving))
        ends = np.cumsum([len(row[2]) // ENTRY.itemsize for row in rows])
        kept = [
            (part[keep].tobytes(), block, row[1])
            for row, part, keep in zip(
                rows, np.split(entries, ends[:-1]), np.split(stays, ends[:-1]), strict=True
            )
        ]
        connection.executemany(
            "UPDATE postings SET entries = ? WHERE block = ? AND term = ?",
            [change for change in kept if change[0]],
        )
        connection.executemany(
            "DELETE FROM postings WHERE block = ? AND term = ?",
            [change[1:] for change in kept if not change[0]],
        )


Scored: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""(passage numbers [n], scores [n] in 0..1)."""


def search(connection: Connection, queries: Sequence[QueryTerms]) -> list[Scored]:
    """For each query, every passage with one of its terms. Each term is read once for all queries.

    score = sum over terms t of idf(t) · f·(k1 + 1) / (f + k1·(1 - b + b·length/average))
            divided by the sum over terms of idf(t) · (k1 + 1),

    f is the count of t in the text plus `_TITLE_WEIGHT` times its count in the title. Each factor
    after idf stays below k1 + 1, so the score stays below 1. Words that no passage contains stay in
    the divisor: one known word of six is not a perfect hit. idf(t) =
    ln(1 + (N - n + 0.5) / (n + 0.5)), never negative, as in Lucene.

    Source: Robertson & Zaragoza 2009, doi:10.1561/1500000019.
    """
    passages, average, blocks = _extent(connection)
    told = [
        _most_telling(connection, query, blocks=blocks)
        if len(query.words) + len(query.joined) > _MOST_TERMS
        else (query.words, query.joined)
        for query in queries
    ]
    wanted = dict.fromkeys(term for words, joined in told for term in (*words, *joined))
    postings: dict[str, dict[int, bytes]] = defaultdict(dict)
    for block, term, entries in connection.execute(
        _ROWS, (json.dumps(blocks), json.dumps(list(wanted)))
    ):
        postings[term][block] = entries
    return [
        _found(words, joined, postings, blocks, passages=passages, average=average)
        for words, joined in told
    ]


def _found(
    words: Sequence[str],
    joined: Sequence[str],
    postings: Mapping[str, Mapping[int, bytes]],
    blocks: Sequence[int],
    *,
    passages: int,
    average: float,
) -> Scored:
    """What one query finds, from the postings {term: {block: entries}} of its terms and others."""
    holding = {
        term: sum(map(len, postings[term].values())) // ENTRY.itemsize
        for term in (*words, *joined)
        if term in postings
    }
    if not holding:
        return np.empty(0, dtype=np.int64), np.empty(0)
    rows = [
        (block, term, postings[term][block])
        for block in blocks
        for term in holding
        if block in postings[term]
    ]
    counted = [*words, *(term for term in joined if term in holding)]
    idf = {term: _idf(holding.get(term, 0), passages=passages) for term in counted}
    numbers, sums = _score(rows, idf, average=average)
    return numbers, sums / (sum(idf.values()) * (K1 + 1))


def _idf(holding: int, *, passages: int) -> float:
    return float(np.log1p((passages - holding + 0.5) / (holding + 0.5)))


def _extent(connection: Connection) -> tuple[int, float, list[int]]:
    """(number of passages, their average length in terms, all blocks that may hold something)."""
    passages, terms, first, last = connection.execute(_EXTENT).fetchone()
    count = int(passages or 0)
    blocks = [] if first is None else list(range(first // _BLOCK, last // _BLOCK + 1))
    return count, max(1.0, int(terms or 0) / max(1, count)), blocks


def _most_telling(
    connection: Connection, query: QueryTerms, *, blocks: Sequence[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The `_MOST_TERMS` rarest terms of a long query, judged by a sample of blocks.

    Terms that are not in the sample come last: most of them are in no passage at all.
    """
    step = -(-len(blocks) // _SAMPLED_BLOCKS) or 1
    terms = [*query.words, *query.joined]
    sampled = (json.dumps(blocks[::step]), json.dumps(terms))
    held = Counter(dict(connection.execute(_SIZES, sampled).fetchall()))
    chosen = set(sorted(terms, key=lambda term: (not held[term], held[term], term))[:_MOST_TERMS])
    return (
        tuple(term for term in query.words if term in chosen),
        tuple(term for term in query.joined if term in chosen),
    )


def _score(
    rows: Sequence[tuple[int, str, bytes]],
    idf: Mapping[str, float],
    *,
    average: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """(passage numbers, sums over the terms) of all passages in `rows` (block, term, entries)."""
    sizes = [len(entries) // ENTRY.itemsize for _, _, entries in rows]
    entries = np.frombuffer(b"".join(row[2] for row in rows), dtype=ENTRY)
    frequency = entries["text"] + _TITLE_WEIGHT * entries["title"]
    held_back = K1 * (1 - B + B * entries["length"] / average)
    weights = np.repeat([idf[term] for _, term, _ in rows], sizes)
    gains = weights * frequency * (K1 + 1) / (frequency + held_back)
    # numbers may have wide gaps; numbering the blocks that occur keeps the sums array small
    seen, block_index = np.unique(np.array([row[0] for row in rows]), return_inverse=True)
    places = np.repeat(block_index * _BLOCK, sizes) + entries["slot"]
    sums = np.bincount(places, weights=gains).astype(np.float64)
    hits = np.flatnonzero(sums)
    return seen[hits // _BLOCK] * _BLOCK + hits % _BLOCK, sums[hits]
