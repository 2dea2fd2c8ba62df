"""How long a recall with effort `none` takes for each kind of store, compared with a folder.

    python -m benchmarks.places
    python -m benchmarks.places --memories 5000 --questions 100

All places hold the same memories with cues and use the default embedding model. Each question goes
to all places in turn, so that other work on the machine affects all alike. A recall's background
work ends before the next question.
"""

import argparse
import asyncio
import os
import sysconfig
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psycopg
from benchmarks.corpus import PASSAGES_A_MEMORY
from benchmarks.speed_place import Place, fill_secondhop, loaded, store_folder
from tests.local_server import free_port, running_server
from tests.postgres_server import running_postgres

from secondhop.memories.copying import copied
from secondhop.models.embedder import Embedder
from secondhop.recall import Recall
from secondhop.stores.store_directory import StoreDirectory

WARM_UP = 5
ENTITY = "e0"


@asynccontextmanager
async def places(
    folder: Path, *, memories: int
) -> AsyncGenerator[tuple[Mapping[str, Recall], Sequence[str]]]:
    """({place: its `Recall`, all with the same memories}, questions)."""
    models = await loaded()
    passages = PASSAGES_A_MEMORY * memories
    place = Place(folder=folder, passages=passages, entities=1, model_url="")
    await fill_secondhop(place, models, cues=True)
    own, port = store_folder(place, cues=True), free_port()
    chroma = [os.path.join(sysconfig.get_path("scripts"), "chroma"), "run", "--host", "127.0.0.1"]
    chroma += ["--port", str(port), "--path", str(folder / "server")]
    async with AsyncExitStack() as closes:
        closes.enter_context(running_server(chroma, port=port))
        postgres = closes.enter_context(running_postgres())
        found = {"folder": await opened(closes, own, None, models.embedder)}
        url = f"http://127.0.0.1:{port}"
        for name, address, chroma_url in (
            ("folder + Chroma server", str(folder / "beside"), url),
            ("PostgreSQL + Chroma server", postgres.database(), url),
            ("PostgreSQL + pgvector", postgres.database(), None),
        ):
            async with aclosing(StoreDirectory(own)) as home:
                await copied(home, address, chroma_url=chroma_url)
            if address.startswith("postgresql:"):
                with psycopg.connect(address, autocommit=True) as connection:
                    connection.execute("ANALYZE")  # autovacuum would do it a minute later
            found[name] = await opened(closes, address, chroma_url, models.embedder)
        yield found, models.base.questions


async def opened(
    closes: AsyncExitStack, store: str | Path, chroma_url: str | None, embedder: Embedder
) -> Recall:
    """The entity in one place, closed by `closes`."""
    recall = await Recall.aopen(store, entity=ENTITY, embedder=embedder, chroma_url=chroma_url)
    return await closes.enter_async_context(recall)


async def asked(
    recalls: Mapping[str, Recall], questions: Sequence[str], *, after_a_write: bool
) -> dict[str, list[float]]:
    """{place: milliseconds of each recall}, without the first WARM_UP.

    Args:
        after_a_write: store something before each recall, so that caches of the store are stale.
    """
    took: dict[str, list[float]] = {name: [] for name in recalls}
    for number, question in enumerate(questions):
        for name, recall in recalls.items():
            if after_a_write:
                await recall.memories.aremember(f"It is the {number}th time.")
            begun = time.perf_counter()
            await recall.arecall(question, effort="none")
            took[name].append(1e3 * (time.perf_counter() - begun))
            await asyncio.to_thread(recall.admin.last_traces, 1)  # waits until the trace is stored
    return {name: times[WARM_UP:] for name, times in took.items()}


async def measure(folder: Path, *, memories: int, questions: int) -> None:
    """Print a table."""
    async with places(folder, memories=memories) as (recalls, known):
        wanted = [known[number % len(known)] for number in range(WARM_UP + questions)]
        reads = await asked(recalls, wanted, after_a_write=False)
        writes = await asked(recalls, wanted, after_a_write=True)
    print(f"{memories:,} memories, {questions} questions, load {os.getloadavg()[0]:.1f}\n")
    print("| store | p50, ms | ratio | p50 after a write, ms | ratio |")
    print("|---|---|---|---|---|")
    for name in recalls:
        cells = [
            f"{median(took[name]):.0f} | {median(took[name]) / median(took['folder']):.2f}"
            for took in (reads, writes)
        ]
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--questions", type=int, default=60)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="secondhop-places-", ignore_cleanup_errors=True) as name:
        asyncio.run(measure(Path(name), memories=given.memories, questions=given.questions))


if __name__ == "__main__":
    main()
