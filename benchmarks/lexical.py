"""Our index of words beside tantivy and bm25s: speed, agreement, and what a change costs.

    pip install tantivy bm25s        # into the virtual environment of `make bench`
    python -m benchmarks.lexical     # a minute or two

All three get the same terms, as our analyzer makes them, and answer with 360 passages, as deep as a
recall asks. Agreement is the share of our first 40 passages that are among their first 40.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.libraries import library
from benchmarks.speed_place import Models, Place, loaded

from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.reads import best_by_words
from secondhop.stores.records import EmbeddedMemory

DEPTH = 360
COMPARED = 40
ADDED = 64
"""Memories of a small change."""
Search = Callable[[str], Sequence[str]]


class Ours:
    """The catalog alone: its transaction holds texts, cards and words."""

    def __init__(self, folder: Path) -> None:
        self._catalog = Catalog(folder / "catalog.db")
        self._catalog.create(Identity(entity="e0", embedder_id="none", dimension=384))

    def add(self, memories: Sequence[EmbeddedMemory]) -> None:
        """Committed when it returns."""
        ids = [passage.passage_id for one in memories for passage in one.passages]
        self._catalog.store(memories, intent=self._catalog.intend(ids), at=datetime.now(UTC))

    def search(self, question: str) -> list[str]:
        """Ids, best first."""
        (hits,) = self._catalog.read(best_by_words, [question], k=DEPTH)
        return [hit.passage_id for hit in hits]


class Tantivy:
    """Its own files; terms come ready, between spaces."""

    def __init__(self, folder: Path) -> None:
        self._tantivy = library("tantivy")
        (folder / "tantivy").mkdir()
        schema = self._tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("text", tokenizer_name="whitespace")
        self._index = self._tantivy.Index(schema.build(), path=str(folder / "tantivy"))

    def add(self, memories: Sequence[EmbeddedMemory]) -> None:
        """Committed when it returns."""
        writer = self._index.writer()
        for passage_id, terms in terms_of(memories):
            writer.add_document(self._tantivy.Document(id=passage_id, text=" ".join(terms)))
        writer.commit()
        self._index.reload()

    def search(self, question: str) -> list[str]:
        """Ids, best first."""
        terms = [
            self._tantivy.Query.term_query(self._index.schema, "text", term)
            for term in asked_terms(question)
        ]
        should = self._tantivy.Occur.Should
        query = self._tantivy.Query.boolean_query([(should, term) for term in terms])
        searcher = self._index.searcher()
        found = searcher.search(query, DEPTH).hits
        return [searcher.doc(address)["id"][0] for _, address in found]


class Bm25s:
    """A matrix in memory, made anew at every change: there is no other way."""

    def __init__(self, folder: Path) -> None:
        self._bm25s, self._folder = library("bm25s"), folder / "bm25s"
        self._terms: list[list[str]] = []
        self._ids: list[str] = []
        self._index: Any = None

    def add(self, memories: Sequence[EmbeddedMemory]) -> None:
        """Saved when it returns."""
        for passage_id, terms in terms_of(memories):
            self._ids.append(passage_id)
            self._terms.append(list(terms))
        self._index = self._bm25s.BM25(k1=1.2, b=0.75)
        self._index.index(self._terms, show_progress=False)
        self._index.save(str(self._folder))

    def search(self, question: str) -> list[str]:
        """Ids, best first."""
        terms = asked_terms(question)
        rows, scores = self._index.retrieve(
            [terms], k=min(DEPTH, len(self._ids)), show_progress=False, n_threads=0
        )
        return [
            self._ids[row]
            for row, score in zip(rows[0].tolist(), scores[0].tolist(), strict=True)
            if score > 0
        ]


SYSTEMS: dict[str, Callable[[Path], Any]] = {
    "secondhop (SQLite)": Ours,
    "tantivy": Tantivy,
    "bm25s": Bm25s,
}


def terms_of(memories: Sequence[EmbeddedMemory]) -> list[tuple[str, list[str]]]:
    """(passage id, its terms, those of the title among them) of every passage."""
    return [
        (passage.passage_id, [*document_terms(one.memory.title), *document_terms(passage.text)])
        for one in memories
        for passage in one.passages
    ]


def asked_terms(question: str) -> list[str]:
    """The terms that our index looks for."""
    terms = query_terms(question)
    return [*terms.words, *terms.joined]


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """(wall, processor)."""
    begun, worked = time.perf_counter(), time.process_time()
    work()
    return 1e3 * (time.perf_counter() - begun), 1e3 * (time.process_time() - worked)


def measure(name: str, place: Place, models: Models, ours: dict[str, set[str]]) -> str:
    """A row of the table; `ours` gets our first passages, and is what others are held against."""
    folder = place.folder / name
    folder.mkdir()
    index = SYSTEMS[name](folder)
    batches = [memories for _, memories in place.contents(models.base)]
    if name == "bm25s":  # it would be made anew for each
        batches = [[one for batch in batches for one in batch]]
    filled = sum(milliseconds(partial(index.add, batch))[0] for batch in batches)
    more = models.base.memories_of(ADDED, first=place.memories_each)
    change = milliseconds(partial(index.add, more))[0]
    questions = models.base.questions
    for question in questions[:3]:
        index.search(question)
    taken = [milliseconds(partial(index.search, question)) for question in questions]
    first = {question: set(index.search(question)[:COMPARED]) for question in questions}
    if not ours:
        ours |= first
    same = statistics.fmean(len(ours[q] & first[q]) / max(1, len(ours[q])) for q in questions)
    size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 2**20
    wall, worked = (statistics.median(column) for column in zip(*taken, strict=True))
    return (
        f"| {place.passages:,} | {name} | {wall:.1f} | {worked:.1f} | {filled / 1e3:.1f} "
        f"| {change:,.0f} | {size:.0f} | {same:.2f} |"
    )


async def report(sizes: Sequence[int]) -> None:
    """Print the table."""
    models = await loaded()
    print("| passages | index | a query, ms | processor | filled in, s | 64 more, ms | MB | same |")
    print("|---|---|---|---|---|---|---|---|")
    for size in sizes:
        ours: dict[str, set[str]] = {}
        with TemporaryDirectory(prefix="secondhop-lexical-") as folder:
            place = Place(folder=Path(folder), passages=size, entities=1, model_url="")
            for name in SYSTEMS:
                print(measure(name, place, models, ours), flush=True)


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passages", type=int, nargs="*", default=[10_000, 100_000])
    wanted = parser.parse_args()
    asyncio.run(report(wanted.passages))


if __name__ == "__main__":
    main()
