"""What a store costs: bytes per memory in a folder and in PostgreSQL, opening, copying, RAM.

    python -m benchmarks.size --entities 1 --memories 10000

The memories are those of `benchmarks/corpus.py`: 160 words in 2 passages and 2.5 cues each, with
vectors of the default model.
"""

import argparse
import asyncio
import time
from collections.abc import Generator
from contextlib import AsyncExitStack, aclosing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psycopg
from benchmarks.corpus import PASSAGES_A_MEMORY
from benchmarks.speed import rss_mb
from benchmarks.speed_place import Place, fill_secondhop, loaded, store_folder
from tests.postgres_server import running_postgres

from secondhop.memories.copying import copied
from secondhop.models.embedder import Embedder
from secondhop.recall import Recall
from secondhop.stores.store_directory import StoreDirectory

_SIZES = """SELECT relname = 'vectors', pg_total_relation_size(c.oid) FROM pg_class c
    JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname = 'secondhop' AND relkind = 'r'"""
OPENED = 20


@contextmanager
def timed(what: str, *, each: int = 1) -> Generator[None]:
    """Print how long the block took."""
    begun = time.perf_counter()
    yield
    print(f"{what}: {1e3 * (time.perf_counter() - begun) / each:,.1f} ms")


def bytes_below(folder: Path, pattern: str) -> int:
    """The total size of all files that match."""
    return sum(file.stat().st_size for file in folder.glob(pattern) if file.is_file())


async def opening(store: str | Path, embedder: Embedder, *, entities: int) -> None:
    """Print processor time and RAM for opening, and for the first and the second question."""
    async with AsyncExitStack() as held:
        before, took = rss_mb(), list[tuple[float, float, float]]()
        for number in range(min(entities, OPENED)):
            begun = time.process_time()
            opened = await Recall.aopen(store, entity=f"e{number}", embedder=embedder)
            recall = await held.enter_async_context(opened)
            open_s = time.process_time() - begun
            asked = list[float]()
            for question in ("Help me prepare for my interview", "What should I cook tonight?"):
                begun = time.process_time()
                await recall.arecall(question, effort="none")
                asked.append(time.process_time() - begun)
            took.append((open_s, asked[0], asked[1]))
    for name, seconds in zip(
        ("open", "first recall", "second recall"), zip(*took, strict=True), strict=True
    ):
        print(f"{name}: {1e3 * median(seconds):,.0f} ms of processor")
    print(f"open, an entity: {(rss_mb() - before) / len(took):,.1f} MB of memory")


async def measure(folder: Path, *, entities: int, memories: int) -> None:
    """Fill a folder, copy it into PostgreSQL, and print the cost of each."""
    models, total = await loaded(), entities * memories
    await models.embedder.embed_queries(["what is loaded once is no part of an entity"])
    place = Place(
        folder=folder, passages=total * PASSAGES_A_MEMORY, entities=entities, model_url=""
    )
    with timed("stored, a memory", each=total):
        await fill_secondhop(place, models, cues=True)
    store = store_folder(place, cues=True)
    text = sum(len(m.memory.text) for m in models.base.memories_of(200)) / 200
    for name, pattern in (("SQLite", "entities/*/catalog.db"), ("Chroma", "chroma/**/*")):
        print(
            f"{name}: {bytes_below(store, pattern) / total:,.0f} bytes a memory, {text:.0f} of text"
        )
    await opening(store, models.embedder, entities=entities)
    with running_postgres() as postgres:
        address = postgres.database()
        async with aclosing(StoreDirectory(store)) as home:
            with timed("copied to PostgreSQL, a memory", each=total):
                await copied(home, address)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
            sizes = dict.fromkeys((True, False), 0)
            for is_vectors, size in connection.execute(_SIZES):
                sizes[is_vectors] += size
        print(
            f"PostgreSQL: {sizes[False] / total:,.0f} bytes a memory in tables, "
            f"{sizes[True] / total:,.0f} in vectors"
        )
        await opening(address, models.embedder, entities=entities)


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entities", type=int, default=1)
    parser.add_argument("--memories", type=int, default=10_000, help="of each")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="secondhop-size-", ignore_cleanup_errors=True) as name:
        asyncio.run(measure(Path(name), entities=given.entities, memories=given.memories))


if __name__ == "__main__":
    main()
