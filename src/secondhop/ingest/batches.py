"""Cuts memories into passages, gathers them into batches, and embeds the batches."""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from secondhop.errors import ModelError
from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.intake import Intake
from secondhop.ingest.reading import Found, Skipped
from secondhop.models.embedder import Embedder, Vectors
from secondhop.models.tokens import TokenCounter
from secondhop.stores.cues import Annotation, annotation_given, cues_given
from secondhop.stores.records import EmbeddedMemory, Memory, Passage, Vector

_ENTRIES_BETWEEN = 500
_MAX_TITLE_CHARS = 200


@dataclass(slots=True)
class Batch:
    """Whole memories to embed and store together; empty if nothing that was read has changed."""

    memories: dict[str, tuple[Memory, tuple[Passage, ...]]] = field(default_factory=lambda: {})
    only_cues: dict[str, Memory] = field(default_factory=lambda: {})
    """{memory id: memory} of stored memories of which only the cues or tags changed."""
    passages: int = 0

    def add(self, memory: Memory, passages: tuple[Passage, ...]) -> None:
        """Add a memory and its passages."""
        self.memories[memory.memory_id] = (memory, passages)
        self.passages += len(passages)

    def holds(self, memory_id: str) -> bool:
        """Whether this memory is in the batch."""
        return memory_id in self.memories or memory_id in self.only_cues


def batches_of(
    entries: Iterator[tuple[str, Found | Skipped]],
    *,
    intake: Intake,
    count_tokens: TokenCounter,
    size: int,
) -> Generator[Batch, None, None]:
    """Batches of at most `size` passages, or of one memory that has more.

    Each entry is an origin and what was read from it. A batch also ends after `_ENTRIES_BETWEEN`
    entries, even if it is empty, so that progress is reported often.
    """
    batch, taken = Batch(), 0
    for origin, entry in entries:
        memory = intake.take(entry, origin=origin)
        taken += 1
        passages: tuple[Passage, ...] = ()
        only_cues = memory is not None and intake.keeps_text(memory)
        if memory is not None and not only_cues:
            passages = chunk_memory(memory, count_tokens=count_tokens)
            if not passages:
                intake.without_text(memory)
        full = batch.passages + len(passages) > size
        if full or taken >= _ENTRIES_BETWEEN or (memory and batch.holds(memory.memory_id)):
            yield batch
            batch, taken = Batch(), 0
        if memory is not None and only_cues:
            batch.only_cues[memory.memory_id] = memory
        elif memory is not None and passages:
            batch.add(memory, passages)
    yield batch


def embedding_text(memory: Memory, passage: Passage) -> str:
    """The text that is embedded for a passage: title, headings above it, and the passage."""
    title = memory.title[:_MAX_TITLE_CHARS]
    heading = "" if passage.heading == title else passage.heading
    return "\n\n".join(part for part in (title, heading, passage.text) if part)


async def embedded(
    batch: Batch, embedder: Embedder, *, size: int, told: Callable[[int], None] | None = None
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
    cues = [[cue.text for cue in cues_given(memory)] for memory, _ in batch.memories.values()]
    vectors = await vectors_of(
        [one for part in [*texts, *cues] for one in part], embedder, size=size, told=told
    )
    return [
        EmbeddedMemory(
            memory=memory,
            passages=passages,
            vectors=rows_of(own, vectors, dimension=embedder.dimension),
            cue_vectors=rows_of(asked, vectors, dimension=embedder.dimension),
        )
        for (memory, passages), own, asked in zip(batch.memories.values(), texts, cues, strict=True)
    ]


class GivenCues(NamedTuple):
    """New cues and tags for memories that are stored already."""

    annotations: Sequence[Annotation]
    vectors: Vectors
    """float32 [n_cues, dim], in the order of the annotations' cues."""
    tags: Mapping[str, Sequence[str]]
    """{memory id: its tags}."""


async def given_cues(memories: Collection[Memory], embedder: Embedder, *, size: int) -> GivenCues:
    """The cues that came with these memories, embedded, and their tags."""
    annotations = [annotation_given(memory) for memory in memories]
    texts = [cue.text for annotation in annotations for cue in annotation.cues]
    vectors = await embedded_texts(texts, embedder, size=size)
    return GivenCues(annotations, vectors, {one.memory_id: one.tags for one in memories})


async def embedded_texts(texts: Sequence[str], embedder: Embedder, *, size: int) -> Vectors:
    """float32 [n_texts, dim]. Equal texts are embedded once; each batch has `size` texts."""
    vectors = await vectors_of(texts, embedder, size=size)
    return rows_of(texts, vectors, dimension=embedder.dimension)


async def vectors_of(
    texts: Sequence[str],
    embedder: Embedder,
    *,
    size: int,
    told: Callable[[int], None] | None = None,
) -> dict[str, Vector]:
    """{text: its vector}, embedded in batches of `size`."""
    different = list(dict.fromkeys(texts))
    vectors = await _embed(different, embedder, size=size, told=told)
    return dict(zip(different, vectors, strict=True))


def rows_of(texts: Sequence[str], vectors: Mapping[str, Vector], *, dimension: int) -> Vectors:
    """The vectors of these texts, float32 [n_texts, dim]."""
    if not texts:
        return np.zeros((0, dimension), np.float32)
    return np.stack([vectors[text] for text in texts])


async def _embed(
    texts: Sequence[str], embedder: Embedder, *, size: int, told: Callable[[int], None] | None
) -> Vectors:
    parts: list[Vectors] = []
    for start in range(0, len(texts), size):
        part = await embedder.embed_passages(texts[start : start + size])
        if len(part) != len(texts[start : start + size]):
            raise ModelError(
                f"the embedding model {embedder.model_id} gave {len(part)} vectors for "
                f"{len(texts[start : start + size])} texts; it cannot be used for ingest"
            )
        parts.append(part)
        if told is not None:
            told(len(part))
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)
