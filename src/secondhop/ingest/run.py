"""One ingest: reads, chunks, embeds and stores, then deletes memories that are gone.

One batch is in RAM at a time. A memory is stored completely or not at all.
"""

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from typing import Protocol, TypeAlias

from secondhop.ingest.batches import Batch, batches_of, embedded
from secondhop.ingest.intake import Intake
from secondhop.ingest.ledger import IngestLedger, IngestPlan, NothingIngestedError
from secondhop.ingest.reading import Found, Skipped
from secondhop.ingest.stored import Stored
from secondhop.models.embedder import Embedder
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import to_its_end

Leaving: TypeAlias = Callable[[Sequence[str]], Awaitable[None]]
"""Forgets what is kept elsewhere about memories with these ids. It is awaited before the memories
are deleted, so that after a killed ingest the next one repeats both steps."""

_DELETED_AT_ONCE = 500


class IngestProgress(Protocol):
    """Receives the progress of an ingest; called in the event loop, batch by batch."""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """`stage`: "read", "store" and "delete" count memories, "embed" passages and cues.

        `total` is None until everything has been read.
        """
        ...


class IngestRun:
    """One ingest: takes entries, returns a ledger."""

    def __init__(
        self,
        writer: EntityStore,
        embedder: Embedder,
        *,
        progress: IngestProgress | None,
        dry_run: bool = False,
        leaving: Leaving | None = None,
    ) -> None:
        """`dry_run`: read and compare; nothing is embedded, stored or deleted."""
        self._writer, self._embedder = writer, embedder
        self._progress: IngestProgress = progress or _unheard
        self._passages = self._stored = self._embedded = 0
        self._dry_run, self._leaving = dry_run, leaving

    async def all_of(
        self,
        entries: Iterator[tuple[str, Found | Skipped]],
        *,
        stored: Stored,
        origins: Sequence[str],
        whole: Collection[str],
        built: bool = False,
    ) -> IngestLedger:
        """Store the entries, delete memories that are gone, and return the ledger.

        Args:
            stored: what the store holds.
            origins: where the entries come from.
            whole: the origins that are read completely; only from these are memories deleted.
            built: a program built the entries; an empty iterator is then no error.
        """
        intake = Intake(stored, read_now=origins)
        await self._store_all(batches_of(entries, intake=intake), intake)
        deleted, not_followed = await self._delete_gone(intake, whole)
        not_followed += [_only_a_part(origin) for origin in origins if origin not in whole]
        ledger = IngestLedger(
            read=intake.read,
            stored=len(intake.with_outcome("added", "replaced")),
            unchanged=len(intake.with_outcome("moved", "other_cues", "unchanged")),
            replaced=len(intake.with_outcome("replaced")),
            deleted=len(deleted),
            skipped=tuple(one for one in intake.skipped if not one.is_notice),
            notices=tuple(one for one in intake.skipped if one.is_notice),
            deletions_not_followed=tuple(not_followed),
            passages=self._passages,
            other_cues=len(intake.with_outcome("other_cues")),
            plan=_plan(intake, deleted) if self._dry_run else None,
        )
        nothing_given = built and not (ledger.read or ledger.skipped)
        if ledger.stored + ledger.unchanged == 0 and not nothing_given:
            raise NothingIngestedError(ledger)
        return ledger

    async def _store_all(self, batches: Generator[Batch, None, None], intake: Intake) -> None:
        """Read in a thread. If it is cancelled, the thread finishes its batch first."""
        try:
            while (batch := await to_its_end(asyncio.to_thread(next, batches, None))) is not None:
                self._progress("read", intake.read, None)
                if self._dry_run:
                    self._passages += batch.passages
                else:
                    intake.stored_meanwhile(await self._store(batch))
        finally:
            batches.close()
        self._progress("read", intake.read, intake.read)

    async def _store(self, batch: Batch) -> set[str]:
        """Returns the ids of those that were stored with the same content before."""
        memories = await embedded(batch, self._embedder, told=self._embedding)
        if not memories:
            return set()
        same = await self._writer.put(memories)
        self._passages += batch.passages
        self._stored += len(memories)
        self._progress("store", self._stored, None)
        return same

    def _embedding(self, more: int) -> None:
        self._embedded += more
        self._progress("embed", self._embedded, None)

    async def _delete_gone(
        self, intake: Intake, whole: Iterable[str]
    ) -> tuple[list[str], list[Skipped]]:
        """(ids that were deleted, or in a dry run would be; origins that nothing may be deleted
        from, and why)."""
        deleted, not_followed = list[str](), list[Skipped]()
        for origin in whole:
            gone = intake.gone(origin)
            if isinstance(gone, Skipped):
                not_followed.append(gone)
                continue
            for start in range(0, 0 if self._dry_run else len(gone), _DELETED_AT_ONCE):
                part = gone[start : start + _DELETED_AT_ONCE]
                if self._leaving is not None:
                    await self._leaving(part)
                await self._writer.delete(part)
                self._progress("delete", len(deleted) + start + len(part), None)
            deleted += gone
        return deleted, not_followed


def _plan(intake: Intake, deleted: Sequence[str]) -> IngestPlan:
    return IngestPlan(
        added=intake.with_outcome("added"),
        replaced=intake.with_outcome("replaced"),
        moved=intake.with_outcome("moved"),
        other_cues=intake.with_outcome("other_cues"),
        deleted=tuple(sorted(deleted)),
    )


def _only_a_part(origin: str) -> Skipped:
    return Skipped(
        origin, "only a part of it was read, so nothing stored from the rest was deleted"
    )


def _unheard(stage: str, done: int, total: int | None) -> None:
    """The default progress callback: ignores everything."""
