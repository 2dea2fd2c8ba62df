"""The two entry points of ingest: files and folders, or memories built by a program."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from secondhop.ingest.detect import check_format
from secondhop.ingest.ledger import IngestLedger
from secondhop.ingest.reading import Found, Skipped
from secondhop.ingest.run import IngestProgress, IngestRun, Leaving
from secondhop.ingest.sources import cleaned, read_source
from secondhop.ingest.stored import Stored, stored_in
from secondhop.ingest.walk import Source, Walker, source_of
from secondhop.models.embedder import Embedder
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Memory


async def ingest(
    sources: Sequence[str | os.PathLike[str]],
    *,
    writer: EntityStore,
    embedder: Embedder,
    format: str | None = None,
    tags: Sequence[str] = (),
    progress: IngestProgress | None = None,
    dry_run: bool = False,
    leaving: Leaving | None = None,
) -> IngestLedger:
    """Store the memories in files and folders, and delete memories that are gone from them.

    Unchanged memories are not embedded again. A memory that came from one of these paths earlier
    and is no longer there is deleted, unless a part of that path could not be read or no memory at
    all was read from it, so a broken export wipes nothing. If a path lies within a folder that was
    ingested before, it is read as a part of that folder, and nothing is deleted.

    Args:
        format: one of the known formats, or None to detect it for each file.
        tags: added to the tags of every memory that is read.
        dry_run: read and compare only; the ledger's `plan` names what would be added, replaced,
            moved and deleted. Nothing is embedded.
        leaving: called with the ids of memories right before they are deleted.

    Raises:
        UsageError: an unknown format; nothing was done.
        IngestError: a path does not exist; nothing was done.
        NothingIngestedError: none of its memories is in the store now; `ledger` says why.
    """
    check_format(format)
    given = [await placed(source_of(path), writer) for path in sources]
    origins = list(dict.fromkeys(source.origin for source in given))
    whole = list(dict.fromkeys(source.origin for source in given if source.within is None))
    run = IngestRun(writer, embedder, progress=progress, dry_run=dry_run, leaving=leaving)
    stored = await stored_in(writer)
    entries = _read_all(given, format=format, tags=tags, stored=stored)
    return await run.all_of(entries, stored=stored, origins=origins, whole=whole)


async def placed(source: Source, writer: EntityStore) -> Source:
    """The input as a part of the nearest folder above it that was ingested before.

    Otherwise a note that was ingested with its folder, then edited and ingested alone, would be
    stored a second time. An input that was ingested by itself before stays separate.
    """
    if await writer.content_hashes(origin=source.origin):
        return source
    for folder in source.path.parents:
        part = replace(source, within=folder)
        if await writer.content_hashes(origin=part.origin):
            return part
    return source


async def ingest_memories(
    memories: Iterable[Memory],
    *,
    writer: EntityStore,
    embedder: Embedder,
    progress: IngestProgress | None = None,
) -> IngestLedger:
    """Store memories that a program built. The iterable is read in a thread.

    Nothing is deleted. An empty iterable is no error.

    Raises:
        NothingIngestedError: none of them is in the store now; `ledger` says why.
    """
    run = IngestRun(writer, embedder, progress=progress)
    stored = await stored_in(writer)
    return await run.all_of(_built(memories), stored=stored, origins=(), whole=(), built=True)


def _read_all(
    sources: Sequence[Source], *, format: str | None, tags: Sequence[str], stored: Stored
) -> Iterator[tuple[str, Found | Skipped]]:
    walker = Walker()
    for source in sources:
        for entry in read_source(source, walker=walker, given=format, stored=stored):
            yield source.origin, _tagged(entry, tags)


def _tagged(entry: Found | Skipped, tags: Sequence[str]) -> Found | Skipped:
    if isinstance(entry, Skipped) or not tags:
        return entry
    own = tuple(dict.fromkeys((*entry.memory.tags, *tags)))
    return replace(entry, memory=replace(entry.memory, tags=own))


def _built(memories: Iterable[Memory]) -> Iterator[tuple[str, Found | Skipped]]:
    for number, memory in enumerate(memories, start=1):
        item = memory.memory_id.strip() or f"memory number {number}"
        yield memory.origin, cleaned(Found(memory=memory, item=item))
