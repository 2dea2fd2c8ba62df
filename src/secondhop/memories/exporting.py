"""A whole memory as lines of JSON, and back: what is exported, imported and exported again is
byte for byte the same."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from pydantic import Field

from secondhop.graph.result import Frozen
from secondhop.ingest.pipeline import ingest_memories
from secondhop.ingest.run import IngestProgress
from secondhop.memories.export_frame import Framed, closing_line, header_line, line_of, unframed
from secondhop.memories.export_line import ExportedMemory, memory_of
from secondhop.memories.export_settings import settings_of, take_over, told_settings
from secondhop.models.embedder import Embedder
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.counters import Counters, CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import HistoryEntry, Keeping, KeepingChange
from secondhop.stores.records import EarlierText, Memory

FRAME = 2
"""Lines of an export that are no memories: its first and its last."""
_PAGE = 256
_BATCH = 500

UNCOUNTED_NOTICE = (
    "it is an export of an older secondhop, which does not say how many memories it holds: "
    "whether lines are missing at its end cannot be told"
)


class Imported(Frozen):
    """What became of the lines of an export."""

    read: int
    stored: int
    unchanged: int
    conflicts: list[str]
    """Ids under which something else is stored already: left as they are."""
    settings: list[str] = Field(default_factory=list[str])
    """Names of the settings that the entity keeps from now on; those that it kept stay."""
    notice: str = ""
    """What whoever imports should know: that nobody can tell whether it is whole. "" mostly."""
    dry_run: bool = False
    """Nothing was stored: it is what an import would do."""


async def exported(store: EntityStore, counters: CounterStore) -> AsyncIterator[str]:
    """A header with the entity's settings, one line a memory, by id, and how many these were;
    without line ends.

    Texts, also earlier ones, dates, kinds, how each stands, its history and its counters; vectors
    are made anew from the texts.
    """
    yield header_line(await told_settings(store))
    keepings, after, count = await store.keepings(), "", 0
    while page := await store.page(after=after, limit=_PAGE):
        ids = [memory.memory_id for memory, _ in page]
        histories = await store.look(partial(histories_in, ids))
        earlier = await store.look(partial(earlier_in, ids))
        counted = await counters.of(ids)
        for memory, _ in page:
            memory_id = memory.memory_id
            kept = keepings.get(memory_id, Keeping())
            told = entry_of(memory, kept, histories[memory_id], counted[memory_id])
            if before := earlier[memory_id]:
                told["earlier"] = list(map(earlier_entry, before))
            yield line_of(told)
        after, count = ids[-1], count + len(ids)
    yield closing_line(count)


def histories_in(memory_ids: Sequence[str], view: KeepingView) -> dict[str, list[HistoryEntry]]:
    """What was done to each."""
    return {memory_id: view.history(memory_id) for memory_id in memory_ids}


def earlier_in(memory_ids: Sequence[str], view: KeepingView) -> dict[str, list[EarlierText]]:
    """What each said before."""
    return {memory_id: view.earlier_texts(memory_id) for memory_id in memory_ids}


def earlier_entry(text: EarlierText) -> dict[str, Any]:
    """An earlier text as an export tells it."""
    at, by = text.replaced_at, text.replaced_by
    return said_by(text.memory) | {"replaced_at": at} | ({"replaced_by": by} if by else {})


def said_by(memory: Memory) -> dict[str, Any]:
    """What a memory says, without its id; what is not said has its default."""
    told: dict[str, Any] = {
        "title": memory.title,
        "source": memory.source,
        "created_at": memory.created_at,
        "messages": [{"role": m.role, "content": m.content} for m in memory.messages],
    }
    for name in ("origin", "subject", "attribute", "value", "scope"):
        if value := getattr(memory, name):
            told[name] = value
    if memory.kind != "continuity":
        told["kind"] = memory.kind
    return told


def entry_of(
    memory: Memory, keeping: Keeping, history: Sequence[HistoryEntry], counters: Counters
) -> dict[str, Any]:
    """One memory as an export tells it; what is not said has its default."""
    told: dict[str, Any] = {"id": memory.memory_id, **said_by(memory)}
    if keeping != Keeping():
        kept = asdict(keeping)
        told["keeping"] = {n: value for n, value in kept.items() if n != "mark" or value}
    if history:
        told["history"] = [
            {name: value for name, value in asdict(entry).items() if name != "memory_id"}
            for entry in history
        ]
    if counters != Counters():
        told["counters"] = asdict(counters)
    return told


async def imported(
    lines: Iterable[str],
    *,
    store: EntityStore,
    embedder: Embedder,
    counters: CounterStore,
    progress: IngestProgress | None = None,
    dry_run: bool = False,
) -> Imported:
    """Store what an export holds; what is stored already stays. Killed, it can be run again.

    `dry_run` reads all of it, and stores and embeds nothing.

    Raises:
        UsageError: not an export, or not all of one: nothing is stored; or a line that cannot be
            read: what came before it is stored.
    """
    read = stored = unchanged = 0
    conflicts: list[str] = []
    planned: dict[str, str] = {}
    settings, lines = settings_of(lines)
    framed = unframed(lines)
    for batch in batches(framed):
        read += len(batch)
        known = {**await store.content_hashes(), **planned}
        memories = {entry.memory.memory_id: entry.memory for entry in batch}
        clash = {i for i, m in memories.items() if known.get(i, m.content_hash) != m.content_hash}
        fresh = [memory for i, memory in memories.items() if i not in known]
        mine = [entry for entry in batch if entry.memory.memory_id not in clash]
        if dry_run:
            planned |= {memory.memory_id: memory.content_hash for memory in fresh}
        else:
            if fresh:
                await store.expect_room()
                await ingest_memories(fresh, writer=store, embedder=embedder, progress=progress)
            await put_keeping(mine, store=store, counters=counters)
        conflicts += sorted(clash)
        stored += len(fresh)
        unchanged += len(batch) - len(fresh) - len(clash)
    if not dry_run:
        await store.refresh_topics()
    return Imported(
        read=read,
        stored=stored,
        unchanged=unchanged,
        conflicts=conflicts,
        notice="" if framed.counted else UNCOUNTED_NOTICE,
        settings=await take_over(settings, store, dry_run=dry_run),
        dry_run=dry_run,
    )


async def put_keeping(
    entries: Sequence[ExportedMemory], *, store: EntityStore, counters: CounterStore
) -> None:
    """What stored memories said before and how they stood, with their histories and counters."""
    await store.add_earlier([text for one in entries for text in one.earlier])
    await store.change(partial(changes_in, entries))
    await counters.restore(
        {one.memory.memory_id: one.counters for one in entries if one.counters is not None}
    )


def batches(framed: Framed) -> Iterable[list[ExportedMemory]]:
    """Some hundreds of memories at a time.

    Raises:
        UsageError: a line that is none of ours; nothing of its batch is yielded.
    """
    batch: list[ExportedMemory] = []
    for number, line in framed.lines:
        batch.append(memory_of(line, number))
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def changes_in(entries: Sequence[ExportedMemory], view: KeepingView) -> list[KeepingChange]:
    """How the memories of the entries stood, with their histories; of those that have none yet."""
    changes: list[KeepingChange] = []
    for entry in entries:
        memory_id = entry.memory.memory_id
        if view.history(memory_id) or view.memory(memory_id) is None:
            continue
        changes += [
            KeepingChange(
                memory_id=memory_id,
                keeping=entry.keeping,
                act=one.act,
                at=one.at,
                other_id=one.other_id,
                detail=one.detail,
            )
            for one in entry.history
        ]
    return changes
