"""Memories cut into passages and gathered into batches, and batches embedded."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from secondhop.errors import ModelError
from secondhop.ingest.chunk import ChunkSettings, chunk_memory
from secondhop.ingest.intake import Intake
from secondhop.ingest.reading import Found, Skipped
from secondhop.models.embedder import Embedder, Vectors
from secondhop.models.tokens import TokenCounter
from secondhop.stores.records import EmbeddedMemory, Memory, Passage

_ENTRIES_BETWEEN = 500
_MAX_TITLE_CHARS = 200


@dataclass(slots=True)
class Batch:
    """Whole memories to embed and store together; none while all that is read is unchanged."""

    memories: dict[str, tuple[Memory, tuple[Passage, ...]]] = field(default_factory=lambda: {})
    passages: int = 0

    def add(self, memory: Memory, passages: tuple[Passage, ...]) -> None:
        """Take in one more memory."""
        self.memories[memory.memory_id] = (memory, passages)
        self.passages += len(passages)


def batches_of(
    entries: Iterator[tuple[str, Found | Skipped]],
    *,
    intake: Intake,
    chunk: ChunkSettings,
    count_tokens: TokenCounter,
    size: int,
) -> Generator[Batch, None, None]:
    """Batches of at most `size` passages, or of one memory that has more.

    Each entry is an origin and what was read from it. Now and then a batch comes that is smaller,
    or empty, so that progress is reported often.
    """
    batch, taken = Batch(), 0
    for origin, entry in entries:
        memory = intake.take(entry, origin=origin)
        taken += 1
        passages: tuple[Passage, ...] = ()
        if memory is not None:
            passages = chunk_memory(memory, count_tokens=count_tokens, settings=chunk)
            if not passages:
                intake.without_text(memory)
        full = batch.passages + len(passages) > size
        if full or taken >= _ENTRIES_BETWEEN or (memory and memory.memory_id in batch.memories):
            yield batch
            batch, taken = Batch(), 0
        if memory is not None and passages:
            batch.add(memory, passages)
    yield batch


def embedding_text(memory: Memory, passage: Passage) -> str:
    """What is embedded for a passage: it with the title and headings that it stands under."""
    title = memory.title[:_MAX_TITLE_CHARS]
    heading = "" if passage.heading == title else passage.heading
    return "\n\n".join(part for part in (title, heading, passage.text) if part)


async def embedded(batch: Batch, embedder: Embedder, *, size: int) -> list[EmbeddedMemory]:
    """The memories of a batch with their vectors; equal texts are embedded once."""
    texts = [
        embedding_text(memory, passage)
        for memory, passages in batch.memories.values()
        for passage in passages
    ]
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    vectors = await _embed(list(rows), embedder, size=size)
    ready: list[EmbeddedMemory] = []
    start = 0
    for memory, passages in batch.memories.values():
        own = [rows[text] for text in texts[start : start + len(passages)]]
        ready.append(EmbeddedMemory(memory=memory, passages=passages, vectors=vectors[own]))
        start += len(passages)
    return ready


async def _embed(texts: Sequence[str], embedder: Embedder, *, size: int) -> Vectors:
    parts: list[Vectors] = []
    for start in range(0, len(texts), size):
        part = await embedder.embed_passages(texts[start : start + size])
        if len(part) != len(texts[start : start + size]):
            raise ModelError(
                f"the embedding model {embedder.model_id} gave {len(part)} vectors for "
                f"{len(texts[start : start + size])} texts; it cannot be used for ingest"
            )
        parts.append(part)
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)
