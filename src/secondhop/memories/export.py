"""Exports and imports all memories of an entity.

An export that is imported and exported again is the same, byte for byte.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from functools import partial

from secondhop.errors import UsageError
from secondhop.graph.result import Frozen
from secondhop.ingest.batches import embedded_texts
from secondhop.ingest.jsonl import EXPORT_FORMAT
from secondhop.ingest.pipeline import ingest_memories
from secondhop.ingest.run import IngestProgress
from secondhop.memories.export_format import VERSION, End, Header, MemoryRecord, record_of
from secondhop.memories.writing import MemoryWriting
from secondhop.models.embedder import Embedder
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.counters import Counters, CounterStore
from secondhop.stores.cues import Cue
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import HistoryEntry, Keeping, KeepingChange
from secondhop.stores.records import EarlierText

FRAME = 2
"""Lines of an export that are not memories: the first and the last."""
_BATCH = 500


class Imported(Frozen):
    """What an import did."""

    read: int
    stored: int
    unchanged: int
    conflicts: list[str]
    """Ids under which something else is already stored. It stays."""
    notice: str = ""
    """What was not imported; usually ""."""
    dry_run: bool = False
    """Nothing was stored: this is what an import would do."""


async def exported(store: EntityStore, counters: CounterStore) -> AsyncIterator[str]:
    """The lines of an export without line ends, memories in the order of their ids.

    Vectors are left out: an import makes them from the texts.
    """
    yield Header(format=EXPORT_FORMAT, version=VERSION).line()
    keepings, count = await store.keepings(), 0
    async for page in store.pages():
        ids = [memory.memory_id for memory, _ in page]
        events = await store.look(partial(events_of, ids))
        counted = await counters.of(ids)
        annotations, cues = await store.cues.annotations(ids), await store.cues.of_memories(ids)
        for memory, _ in page:
            history, earlier = events[memory.memory_id]
            yield MemoryRecord.of(
                memory,
                keeping=keepings.get(memory.memory_id, Keeping()),
                history=history,
                earlier=earlier,
                counters=counted[memory.memory_id],
                annotations=annotations.get(memory.memory_id, ()),
                cues=cues.get(memory.memory_id, ()),
            ).line()
        count += len(ids)
    yield End(end=EXPORT_FORMAT, memories=count).line()


def events_of(
    memory_ids: Sequence[str], view: KeepingView
) -> dict[str, tuple[list[HistoryEntry], list[EarlierText]]]:
    """{memory id: (its history, its earlier texts)}."""
    return {one: (view.history(one), view.earlier_texts(one)) for one in memory_ids}


async def imported(
    lines: Iterable[str],
    *,
    writing: MemoryWriting,
    progress: IngestProgress | None = None,
    dry_run: bool = False,
) -> Imported:
    """See `Maintenance.aimport`. After a kill, run it again."""
    header, records = read_export(lines)
    store, embedder = writing.store, writing.embedder
    known = dict(await store.content_hashes())
    read = stored = unchanged = 0
    conflicts: list[str] = []
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        memories = {record.id: record.stored() for record in batch}
        fresh = [memory for memory_id, memory in memories.items() if memory_id not in known]
        known |= {memory.memory_id: memory.content_hash for memory in fresh}
        clash = {i for i, memory in memories.items() if known[i] != memory.content_hash}
        if not dry_run:
            if fresh:
                await ingest_memories(fresh, writer=store, embedder=embedder)
            mine = [record for record in batch if record.id not in clash]
            await restore_state(mine, store=store, counters=writing.counters)
            await restore_cues(mine, store=store, embedder=embedder)
        conflicts += sorted(clash)
        read, stored = read + len(batch), stored + len(fresh)
        unchanged += len(batch) - len(fresh) - len(clash)
        if progress is not None:
            progress("store", read, len(records))
    return Imported(
        read=read,
        stored=stored,
        unchanged=unchanged,
        conflicts=conflicts,
        notice=notice_of(header),
        dry_run=dry_run,
    )


def read_export(lines: Iterable[str]) -> tuple[Header, list[MemoryRecord]]:
    """The header and the records of an export. Every line is checked.

    Raises:
        UsageError: it is not an export, it is incomplete, or a line cannot be read.
    """
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    header = header_of(numbered)
    expect_all(numbered[1:])
    return header, [record_of(MemoryRecord, line, number) for number, line in numbered[1:-1]]


def header_of(numbered: Sequence[tuple[int, str]]) -> Header:
    """The header in the first line. Raises UsageError if that is not the header of an export."""
    try:
        return record_of(Header, numbered[0][1] if numbered else "", 1)
    except UsageError as error:
        example = Header(format=EXPORT_FORMAT, version=VERSION).line()
        raise UsageError(
            f"this is not an export of version {VERSION}; its first line must be {example}. "
            f"`secondhop ingest` reads files that are no export"
        ) from error


def notice_of(header: Header) -> str:
    """A notice about settings, which only version 0.1 kept with an entity; usually ""."""
    if not header.settings:
        return ""
    names = ", ".join(sorted(header.settings))
    return f"settings are no longer kept with an entity; pass {names} to Recall.open(config=...)"


def expect_all(lines: Sequence[tuple[int, str]]) -> None:
    """Raise UsageError unless the last line says how many memories there are, and all are there."""
    held, told = len(lines), "does not say how many it holds"
    with suppress(UsageError, IndexError):  # the last line is another one, or there is none
        end = record_of(End, lines[-1][1], 0)
        held, told = held - 1, f"says {end.memories}"
        if held == end.memories:
            return
    raise UsageError(
        f"the export is incomplete: it holds {held} memories, and its last line {told}; "
        f"nothing was imported: copy all of the file, or export it again"
    )


async def restore_state(
    records: Sequence[MemoryRecord], *, store: EntityStore, counters: CounterStore
) -> None:
    """Write the status, history, earlier texts and counters of stored memories."""
    await store.add_earlier([text for one in records for text in one.earlier_texts()])
    await store.change(partial(changes_in, records))
    counted = {one.id: Counters(**one.counters.model_dump()) for one in records}
    await counters.restore({i: one for i, one in counted.items() if one != Counters()})


async def restore_cues(
    records: Sequence[MemoryRecord], *, store: EntityStore, embedder: Embedder
) -> None:
    """Write annotations and cues of stored memories that have none yet."""
    ids = [record.id for record in records]
    known = {*await store.cues.annotations(ids), *await store.cues.of_memories(ids)}
    mine = [record for record in records if record.id not in known]
    annotations = [own.annotation(one.stored()) for one in mine for own in one.annotations]
    added = [Cue(memory_id=one.id, **own.model_dump()) for one in mine for own in one.cues]
    if not annotations and not added:
        return
    cues = [*(cue for annotation in annotations for cue in annotation.cues), *added]
    vectors = await embedded_texts([cue.text for cue in cues], embedder)
    await store.cues.annotate(annotations, vectors, added=added)


def changes_in(records: Sequence[MemoryRecord], view: KeepingView) -> list[KeepingChange]:
    """The status and history of those stored memories that have no history yet."""
    return [
        KeepingChange(
            memory_id=record.id,
            keeping=Keeping(**record.keeping.model_dump()),
            **event.model_dump(),
        )
        for record in records
        if not view.history(record.id) and view.memory(record.id) is not None
        for event in record.history
    ]
