"""Cuts memories into passages, gathers them into batches, and embeds the batches."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.intake import Intake
from secondhop.ingest.reading import Found, Skipped
from secondhop.models.embedder import Embedder, Vectors
from secondhop.stores.cues import cues_given
from secondhop.stores.records import EmbeddedMemory, Memory, Passage

TEXTS_AT_ONCE = 96
"""Texts embedded at once. A larger memory is embedded in several batches, but stored as one."""
_ENTRIES_BETWEEN = 500
_MAX_TITLE_CHARS = 200


@dataclass(slots=True)
class Batch:
    """Whole memories to embed and store together; empty if nothing that was read has changed."""

    memories: dict[str, tuple[Memory, tuple[Passage, ...]]] = field(default_factory=lambda: {})
    passages: int = 0

    def add(self, memory: Memory, passages: tuple[Passage, ...]) -> None:
        """Add a memory and its passages."""
        self.memories[memory.memory_id] = (memory, passages)
        self.passages += len(passages)


def batches_of(
    entries: Iterator[tuple[str, Found | Skipped]], *, intake: Intake
) -> Generator[Batch, None, None]:
    """Batches of at most `TEXTS_AT_ONCE` passages, or of one memory that has more.

    Each entry is an origin and what was read from it. A batch also ends after `_ENTRIES_BETWEEN`
    entries, even if it is empty, so that progress is reported often.
    """
    batch, taken = Batch(), 0
    for origin, entry in entries:
        memory = intake.take(entry, origin=origin)
        taken += 1
        passages = chunk_memory(memory) if memory is not None else ()
        full = batch.passages + len(passages) > TEXTS_AT_ONCE
        if full or taken >= _ENTRIES_BETWEEN or (memory and memory.memory_id in batch.memories):
            yield batch
            batch, taken = Batch(), 0
        if memory is not None:
            batch.add(memory, passages)
    yield batch


def embedding_text(memory: Memory, passage: Passage) -> str:
    """The text that is embedded for a passage: title, headings above it, and the passage."""
    title = memory.title[:_MAX_TITLE_CHARS]
    heading = "" if passage.heading == title else passage.heading
    return "\n\n".join(part for part in (title, heading, passage.text) if part)


async def embedded(
    batch: Batch, embedder: Embedder, *, told: Callable[[int], None] | None = None
) -> list[EmbeddedMemory]:
    """The memories of a batch, with the vectors of their passages and cues.

    Equal texts are embedded once. Cues are embedded as passages, as is the question when it is
    compared with them.

    Args:
        told: called with the number of texts just embedded; one long memory may take minutes.
    """
    texts = [
        [embedding_text(memory, passage) for passage in passages]
        for memory, passages in batch.memories.values()
    ]
    texts += [[cue.text for cue in cues_given(memory)] for memory, _ in batch.memories.values()]
    vectors = await embedded_texts([one for part in texts for one in part], embedder, told=told)
    parts = np.split(vectors, list(accumulate(map(len, texts))))
    cue_parts = parts[len(batch.memories) :]
    return [
        EmbeddedMemory(memory=memory, passages=passages, vectors=own, cue_vectors=cues)
        for (memory, passages), own, cues in zip(
            batch.memories.values(), parts, cue_parts, strict=False
        )
    ]


async def embedded_texts(
    texts: Sequence[str], embedder: Embedder, *, told: Callable[[int], None] | None = None
) -> Vectors:
    """float32 [n_texts, dim]. Equal texts are embedded once, at most `TEXTS_AT_ONCE` at a time."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    different = list(rows)
    parts: list[Vectors] = [np.zeros((0, embedder.dimension), np.float32)]
    for start in range(0, len(different), TEXTS_AT_ONCE):
        part = await embedder.embed_passages(different[start : start + TEXTS_AT_ONCE])
        parts.append(part)
        if told is not None:
            told(len(part))
    return np.concatenate(parts)[np.array([rows[text] for text in texts], dtype=np.intp)]
