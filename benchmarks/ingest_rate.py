"""How much of the embedding model's own speed an ingest reaches: 1 would be storing for free.

    python -m benchmarks.ingest_rate                              # some minutes
    python -m benchmarks.ingest_rate --passages 96 --runs 1       # less than one

The default model embeds the same passages by itself, then in an ingest into a new store, in
turns; medians count. The texts are made up, one passage a memory.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from benchmarks.engine import playbook_words
from benchmarks.store_scaling import say

from secondhop.ingest.batches import embedding_text
from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.pipeline import ingest_memories
from secondhop.ingest.settings import IngestSettings
from secondhop.models.choose_embedder import make_embedder
from secondhop.models.embedder import Embedder
from secondhop.models.tokens import count_tokens
from secondhop.stores.records import Memory, Message
from secondhop.stores.store_directory import StoreDirectory

_WORDS = 150
_SENTENCE = 12


def made_up(count: int) -> list[Memory]:
    """Memories of one passage each, of ordinary words."""
    rng = np.random.default_rng(0)
    known = np.array(playbook_words())
    return [
        Memory(
            memory_id=f"m{number}",
            title=" ".join(rng.choice(known, 4)),
            source="note",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            messages=(Message("user", sentences(rng.choice(known, _WORDS).tolist())),),
        )
        for number in range(count)
    ]


def sentences(words: list[str]) -> str:
    """The words, a full stop after every twelve."""
    parts = [words[start : start + _SENTENCE] for start in range(0, len(words), _SENTENCE)]
    return " ".join(" ".join(part).capitalize() + "." for part in parts)


async def alone_s(texts: list[str], embedder: Embedder) -> float:
    """Seconds of the model by itself, in batches as an ingest has them."""
    size = IngestSettings().batch_passages
    begun = time.perf_counter()
    for start in range(0, len(texts), size):
        await embedder.embed_passages(texts[start : start + size])
    return time.perf_counter() - begun


async def ingest_s(memories: list[Memory], embedder: Embedder) -> float:
    """Seconds of an ingest into a new store."""
    with tempfile.TemporaryDirectory() as folder:
        async with aclosing(StoreDirectory(Path(folder))) as home:
            store = await home.open_entity(
                "me", embedder_id=embedder.model_id, dimension=embedder.dimension
            )
            async with aclosing(store):
                begun = time.perf_counter()
                await ingest_memories(memories, writer=store, embedder=embedder)
                return time.perf_counter() - begun


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--passages", type=int, default=384)
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args()
    embedder = make_embedder("default")
    memories = made_up(wanted.passages)
    texts = [
        embedding_text(memory, passage)
        for memory in memories
        for passage in chunk_memory(memory, count_tokens=count_tokens)
    ]
    await embedder.embed_passages(texts[:8])  # loads the model
    alone: list[float] = []
    whole: list[float] = []
    for run in range(wanted.runs):
        alone.append(await alone_s(texts, embedder))
        whole.append(await ingest_s(memories, embedder))
        say(f"run {run + 1}: model alone {alone[-1]:.2f} s, ingest {whole[-1]:.2f} s")
    model, ingest = statistics.median(alone), statistics.median(whole)
    say(
        f"{len(texts)} passages, medians of {wanted.runs}: model alone "
        f"{len(texts) / model:.1f} a second, ingest {len(texts) / ingest:.1f}: "
        f"{model / ingest:.2f} of the model's rate"
    )


if __name__ == "__main__":
    asyncio.run(main())
