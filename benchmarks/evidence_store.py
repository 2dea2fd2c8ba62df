"""Stores an entity's items: each session is a memory, and each item one or more passages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from benchmarks.evidence_set import ItemLine

from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.cleaning import clean_memory
from secondhop.ingest.run import IngestProgress
from secondhop.models.tokens import count_tokens
from secondhop.recall import Recall
from secondhop.stores.records import EmbeddedMemory, Memory, Message, Passage, passage_id_of

PASSAGE_WORDS = 200
"""A passage holds one item, or a part of an item with more words than this."""

PASSAGES_AT_ONCE = 96
"""Embedded and stored together; a longer session is still stored in one go."""

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""The date of a session without dated items."""

SOURCE = "conversation"


async def store_items(
    items: Sequence[ItemLine], recall: Recall, *, progress: IngestProgress | None = None
) -> None:
    """Make the entity hold exactly these items; sessions already stored are not embedded again.

    Args:
        progress: called with ("store", sessions stored, all sessions).
    """
    cut = [passages_of(session) for session in by_session(items).values()]
    wanted = {memory.memory_id: memory.content_hash for memory, passages in cut if passages}
    stored = await recall.admin.store.content_hashes()
    await recall.admin.store.delete([memory_id for memory_id in stored if memory_id not in wanted])
    new = [
        (memory, passages)
        for memory, passages in cut
        if passages and stored.get(memory.memory_id) != memory.content_hash
    ]
    done = len(wanted) - len(new)
    for batch in batches(new):
        await recall.admin.store.put(await embedded(batch, recall))
        done += len(batch)
        if progress:
            progress("store", done, len(wanted))


def by_session(items: Sequence[ItemLine]) -> dict[str, list[ItemLine]]:
    """{session: its items}, in the order of the items."""
    sessions: dict[str, list[ItemLine]] = {}
    for item in items:
        sessions.setdefault(item.session, []).append(item)
    return sessions


def passages_of(session: Sequence[ItemLine]) -> tuple[Memory, tuple[Passage, ...]]:
    """A session as a memory, and its passages; each holds one item or a part of one."""
    memory = clean_memory(
        Memory(
            memory_id=session[0].session,
            title=", ".join(dict.fromkeys(item.speaker for item in session if item.speaker)),
            source=SOURCE,
            created_at=min((i.created_at for i in session if i.created_at), default=UNDATED),
            messages=tuple(Message(item.speaker, item.text) for item in session),
        )
    )
    parts = [
        part
        for message in memory.messages
        for part in chunk_memory(
            replace(memory, messages=(message,)),
            count_tokens=count_words,
            max_tokens=PASSAGE_WORDS,
            overlap_tokens=0,
        )
    ]
    return memory, tuple(
        replace(
            part,
            passage_id=passage_id_of(memory, ordinal),
            ordinal=ordinal,
            tokens=count_tokens(part.text),
        )
        for ordinal, part in enumerate(parts)
    )


def count_words(text: str) -> int:
    """The number of words between white space; a `TokenCounter` for the chunker."""
    return len(text.split())


def batches(
    cut: Sequence[tuple[Memory, tuple[Passage, ...]]],
) -> Iterator[list[tuple[Memory, tuple[Passage, ...]]]]:
    """Sessions in order, in batches of at most PASSAGES_AT_ONCE passages, or one longer session."""
    batch: list[tuple[Memory, tuple[Passage, ...]]] = []
    for memory, passages in cut:
        if batch and sum(len(p) for _, p in batch) + len(passages) > PASSAGES_AT_ONCE:
            yield batch
            batch = []
        batch.append((memory, passages))
    if batch:
        yield batch


async def embedded(
    batch: Sequence[tuple[Memory, tuple[Passage, ...]]], recall: Recall
) -> list[EmbeddedMemory]:
    """The memories with the vectors of their passages' texts, which include the speaker."""
    texts = [passage.text for _, passages in batch for passage in passages]
    embedder = recall.admin.services.embedder
    vectors = np.concatenate(
        [
            await embedder.embed_passages(texts[start : start + PASSAGES_AT_ONCE])
            for start in range(0, len(texts), PASSAGES_AT_ONCE)
        ]
    )
    ready: list[EmbeddedMemory] = []
    start = 0
    for memory, passages in batch:
        own = vectors[start : start + len(passages)]
        ready.append(EmbeddedMemory(memory=memory, passages=passages, vectors=own))
        start += len(passages)
    return ready
