"""Stores an entity's items: each session is a memory, and each item one or more passages."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from benchmarks.evidence_set import ItemLine

from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.cleaning import clean_memory
from secondhop.ingest.run import IngestProgress
from secondhop.models.tokens import count_tokens
from secondhop.recall import Recall
from secondhop.stores.records import EmbeddedMemory, Memory, Message, Passage, passage_id_of

PASSAGE_WORDS = 200
"""A passage holds one item, or a part of an item with more words than this."""

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
    store, embedder = recall.admin.store, recall.admin.services.embedder
    stored = await store.content_hashes()
    cut = [passages_of(session) for session in by_session(items).values()]
    wanted = {memory.memory_id for memory, passages in cut if passages}
    await store.delete([memory_id for memory_id in stored if memory_id not in wanted])
    for done, (memory, passages) in enumerate(cut, start=1):
        if passages and stored.get(memory.memory_id) != memory.content_hash:
            vectors = await embedder.embed_passages([passage.text for passage in passages])
            await store.put([EmbeddedMemory(memory=memory, passages=passages, vectors=vectors)])
        if progress:
            progress("store", done, len(cut))


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
            passage_id=passage_id_of(memory, ordinal, part.text, heading=part.heading),
            ordinal=ordinal,
            tokens=count_tokens(part.text),
        )
        for ordinal, part in enumerate(parts)
    )


def count_words(text: str) -> int:
    """The number of words between white space; a `TokenCounter` for the chunker."""
    return len(text.split())
