"""A whole memory as lines of JSON, and back: what is exported, imported and exported again is
byte for byte the same."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from secondhop.errors import UsageError
from secondhop.export_line import ExportedMemory, memory_of, object_of
from secondhop.graph.result import Frozen
from secondhop.ingest.pipeline import ingest_memories
from secondhop.ingest.run import IngestProgress
from secondhop.models.embedder import Embedder
from secondhop.stores.catalog_keeping import KeepingView
from secondhop.stores.counters import Counters, CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import HistoryEntry, Keeping, KeepingChange
from secondhop.stores.records import Memory

FORMAT = "secondhop.memories"
VERSION = 1
_PAGE = 256
_BATCH = 500


class Imported(Frozen):
    """What became of the lines of an export."""

    read: int
    stored: int
    unchanged: int
    conflicts: list[str]
    """Ids under which something else is stored already: left as they are."""
    dry_run: bool = False
    """Nothing was stored: it is what an import would do."""


async def exported(store: EntityStore, counters: CounterStore) -> AsyncIterator[str]:
    """A header, then one line a memory, by id, without line ends. Texts, dates, kinds, how each
    stands, its history and its counters; vectors are made anew from the texts."""
    yield line_of({"format": FORMAT, "version": VERSION})
    keepings, after = await store.keepings(), ""
    while page := await store.page(after=after, limit=_PAGE):
        ids = [memory.memory_id for memory, _ in page]
        histories = await store.look(partial(histories_in, ids))
        counted = await counters.of(ids)
        for memory, _ in page:
            memory_id = memory.memory_id
            kept = keepings.get(memory_id, Keeping())
            yield line_of(entry_of(memory, kept, histories[memory_id], counted[memory_id]))
        after = ids[-1]


def histories_in(memory_ids: Sequence[str], view: KeepingView) -> dict[str, list[HistoryEntry]]:
    """What was done to each."""
    return {memory_id: view.history(memory_id) for memory_id in memory_ids}


def entry_of(
    memory: Memory, keeping: Keeping, history: Sequence[HistoryEntry], counters: Counters
) -> dict[str, Any]:
    """One memory as an export tells it; what is not said has its default."""
    told: dict[str, Any] = {
        "id": memory.memory_id,
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


def line_of(entry: Mapping[str, Any]) -> str:
    """ASCII, keys in order: the same entry is always the same bytes."""
    return json.dumps(entry, sort_keys=True, ensure_ascii=True, default=datetime.isoformat)


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
        UsageError: not an export, or a line that cannot be read; what came before it is stored.
    """
    read = stored = unchanged = 0
    conflicts: list[str] = []
    planned: dict[str, str] = {}
    for batch in batches(lines):
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
        read=read, stored=stored, unchanged=unchanged, conflicts=conflicts, dry_run=dry_run
    )


async def put_keeping(
    entries: Sequence[ExportedMemory], *, store: EntityStore, counters: CounterStore
) -> None:
    """How stored memories stood, with their histories and counters."""
    await store.change(partial(changes_in, entries))
    await counters.restore(
        {one.memory.memory_id: one.counters for one in entries if one.counters is not None}
    )


def batches(lines: Iterable[str]) -> Iterable[list[ExportedMemory]]:
    """Memories after the header, some hundreds at a time.

    Raises:
        UsageError: no header of ours, or a line that is none of ours; nothing of it is yielded.
    """
    batch: list[ExportedMemory] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if number == 1:
            expect_header(object_of(line, number))
            continue
        batch.append(memory_of(line, number))
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def expect_header(told: Mapping[str, object]) -> None:
    """Raises UsageError for what is no header of an export of this version."""
    if (told.get("format"), told.get("version")) != (FORMAT, VERSION):
        raise UsageError(
            f"this is no export of version {VERSION}; its first line must be "
            f"{line_of({'format': FORMAT, 'version': VERSION})}"
        )


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
