"""A program that puts and deletes memories until killed, and prints what is acknowledged.

    python write_forever.py STORE ENTITY FIRST [LAST]

Prints `put ID VERSION` or `delete ID` when the store has acknowledged it.
"""

import asyncio
import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from secondhop.stores.cues import Annotation, Cue
from secondhop.stores.records import (
    EmbeddedMemory,
    Memory,
    Message,
    Passage,
    Vector,
    passage_id_of,
)
from secondhop.stores.store_directory import StoreDirectory

DIMENSION = 16
BATCH = 5


def embedded(number: int, *, version: int) -> EmbeddedMemory:
    """A memory of 1 to 3 passages and two cues; texts and vectors depend on number and version."""
    texts = [f"word{number} version{version} part{part}" for part in range(number % 3 + 1)]
    memory = Memory(
        memory_id=f"m{number}",
        title=f"memory {number}",
        source="note",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        messages=tuple(Message("user", text) for text in texts),
        cues=(f"ask{number} version{version}", f"ask{number}"),
    )
    passages = tuple(
        Passage(
            passage_id=passage_id_of(memory, place, text),
            memory_id=memory.memory_id,
            ordinal=place,
            text=text,
            tokens=3,
        )
        for place, text in enumerate(texts)
    )
    vectors = np.stack([vector(text) for text in texts])
    cues = np.stack([vector(text) for text in memory.cues])
    return EmbeddedMemory(memory=memory, passages=passages, vectors=vectors, cue_vectors=cues)


def annotation(stored: EmbeddedMemory) -> Annotation:
    """A model's annotation of a memory: a cue with the hash of its text."""
    own, digest = stored.memory.memory_id, stored.memory.content_hash
    cue = Cue(memory_id=own, text=f"read {digest}", origin="model")
    return Annotation(memory_id=own, content_hash=digest, cues=(cue,), origin="model")


def vector(text: str) -> Vector:
    """A random unit vector that depends only on the text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    row = np.random.default_rng(seed).normal(size=DIMENSION)
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


async def write(folder: Path, entity: str, first: int, last: int) -> None:
    """Put batches of five; each batch also replaces and deletes some older memories."""
    home = StoreDirectory(folder)
    store = await home.open_entity(entity, embedder_id="hash-16", dimension=DIMENSION)
    say("ready")
    for start in range(first, last, BATCH):
        await store.put([embedded(n, version=1) for n in range(start, start + BATCH)])
        say(*(f"put m{n} 1" for n in range(start, start + BATCH)))
        for annotated in (annotation(embedded(n, version=1)) for n in (start, start + 2)):
            await store.cues.annotate([annotated], np.stack([vector(annotated.cues[0].text)]))
        await store.put([embedded(start, version=2)])
        say(f"put m{start} 2")
        await store.delete([f"m{start + 1}"])
        say(f"delete m{start + 1}")
    await store.aclose()
    await home.aclose()


def say(*lines: str) -> None:
    """Print whole lines at once, so that a reader never sees half of one."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(
        write(
            Path(sys.argv[1]),
            sys.argv[2],
            int(sys.argv[3]),
            int(sys.argv[4]) if len(sys.argv) > 4 else sys.maxsize,
        )
    )
