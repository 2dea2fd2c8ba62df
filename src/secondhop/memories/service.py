"""Remembering, correcting and forgetting single memories of one entity.

What is corrected is not lost: the old memory stays, superseded, and its history with it. Only
`forget` deletes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from secondhop.errors import UsageError
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.batches import Batch, embedded
from secondhop.ingest.chunk import chunk_memory
from secondhop.memories import rules as rules
from secondhop.memories.building import Rememberable, memory_from, own_id, said_anew
from secondhop.memories.detector import Suspicion, suspected
from secondhop.memories.erasing import Erased, PurgesTexts, erase, would_erase
from secondhop.memories.records import Accepted, Forgotten, Kept, MemoryHistory, StoredFact
from secondhop.memories.story import facts_in, story_of
from secondhop.models.embedder import Embedder
from secondhop.models.tokens import TokenCounter, count_tokens
from secondhop.shown_lately import shown_in
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.counters import CounterStore, Use
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import MARKS, Keeping, KeepingChange, Mark
from secondhop.stores.records import EmbeddedMemory, Erasure, Memory
from secondhop.traces import TraceFolder


class Forgets(Protocol):
    """Something that keeps what was learned of memories, and can forget it."""

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """Nothing of these memories is left when it returns; unknown ids are no error."""
        ...


def utc_now() -> datetime:
    """The clock of a keeper that was given none."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """Writes single memories, and changes how they stand."""

    store: EntityStore
    embedder: Embedder
    caches: Sequence[PurgesTexts]
    traces: TraceFolder
    counters: CounterStore
    forgetting: list[Forgets] = field(default_factory=list[Forgets])
    """Asked to forget, too, before the memory itself goes: learned weights, sessions."""
    clock: Callable[[], datetime] = utc_now
    tokens: TokenCounter = count_tokens

    async def remember(
        self,
        what: Rememberable,
        *,
        title: str = "",
        at: datetime | None = None,
        valid_until: datetime | None = None,
        salience: float | None = None,
        mark: Mark = "",
        supersedes: Sequence[str] = (),
        memory_id: str | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Store one memory; see `Recall.aremember`."""
        moment = as_utc(at) or self.clock()
        memory = memory_from(what, title=title, at=moment, memory_id=memory_id or own_id(what))
        keeping = Keeping(
            valid_until=as_utc(valid_until),
            salience=checked_salience(salience),
            mark=checked_mark(mark),
        )
        deciding = partial(
            rules.entering,
            memory,
            keeping=keeping,
            supersedes=supersedes,
            at=self.clock(),
            said_since=None if memory_id else said_since(moment, given=at is not None),
        )
        kept = await self.enter(memory, deciding, dry_run=dry_run)
        return kept.model_copy(update={"notice": self._expired(kept, keeping)})

    async def update(
        self,
        memory_id: str,
        what: Rememberable | None = None,
        *,
        at: datetime | None = None,
        valid_until: datetime | Literal[""] | None = None,
        salience: float | None = None,
        mark: Mark | None = None,
        new_id: str | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Say it anew, or change how it stands; see `Recall.aupdate`."""
        if what is not None:
            old = await self._existing(memory_id)
            if mark is None:
                mark = (await self.store.look(lambda view: view.keeping(memory_id))).mark
            return await self.remember(
                said_anew(old, what),
                title=old.title if old.kind == "continuity" else "",
                at=at,
                valid_until=valid_until or None,
                salience=salience,
                mark=mark,
                supersedes=[memory_id],
                memory_id=new_id,
                dry_run=dry_run,
            )
        if salience is not None:
            checked_salience(salience)
        if mark is not None:
            checked_mark(mark)
        decide = partial(
            rules.change,
            memory_id,
            at=self.clock(),
            valid_until=valid_until if valid_until == "" else as_utc(valid_until),
            salience=salience,
            mark=mark,
        )
        return await self._change(memory_id, decide, dry_run=dry_run)

    async def supersede(
        self, old_id: str, new_id: str, *, reason: str = "", dry_run: bool = False
    ) -> Kept:
        """One memory takes another's place; see `Recall.asupersede`."""
        decide = partial(rules.supersede, old_id, new_id, at=self.clock(), reason=reason)
        return await self._change(old_id, decide, dry_run=dry_run)

    async def deprecate(
        self, memory_id: str, reason: str, *, at: datetime | None = None, dry_run: bool = False
    ) -> Kept:
        """It does not hold any more; see `Recall.adeprecate`."""
        moment = as_utc(at) or self.clock()
        decide = partial(rules.deprecate, memory_id, reason.strip(), at=moment)
        return await self._change(memory_id, decide, dry_run=dry_run)

    async def restore(self, memory_id: str, *, dry_run: bool = False) -> Kept:
        """It holds again; see `Recall.arestore`."""
        decide = partial(rules.restore, memory_id, at=self.clock())
        return await self._change(memory_id, decide, dry_run=dry_run)

    async def forget(self, *memory_ids: str, dry_run: bool = False) -> Forgotten:
        """Delete without a trace; see `Recall.aforget`."""
        memory_ids = tuple(dict.fromkeys(memory_ids))
        for memory_id in memory_ids:
            await self._existing(memory_id)
        found: Erased = await would_erase(self.store, self.traces, memory_ids)
        erased = Erasure(text=True, vectors=True)
        if not dry_run:
            await self.unlearn(memory_ids)
            erased = await erase(self.store, self.caches, found)
        return Forgotten(
            memory_ids=list(memory_ids),
            passages=len(found.passages),
            traces=len(found.traces),
            complete=erased.text,
            vectors_complete=erased.vectors,
            dry_run=dry_run,
        )

    async def unlearn(self, memory_ids: Sequence[str]) -> None:
        """Forget what was counted and learned of memories that are about to go."""
        for other in (self.counters, *self.forgetting):
            await other.forget(memory_ids)

    async def history(self, memory_id: str) -> MemoryHistory:
        """All versions of a memory, and what was done to them; see `Recall.ahistory`."""
        await self._existing(memory_id)
        return await self.store.look(partial(story_of, memory_id, now=self.clock()))

    async def facts(
        self, subject: str | None, attribute: str | None, *, as_of: datetime | None
    ) -> list[StoredFact]:
        """Facts by their names; see `Recall.afacts`."""
        found = partial(
            facts_in, subject=subject, attribute=attribute, as_of=as_utc(as_of), now=self.clock()
        )
        return await self.store.look(found)

    async def find_superseded(
        self, *, apply: bool, dry_run: bool, threshold: float
    ) -> list[Suspicion]:
        """What newer memories seem to have replaced; see `Recall.afind_superseded`."""
        found = await suspected(self.store, threshold=threshold, now=self.clock())
        for pair in found if apply and not dry_run else ():
            await self.supersede(pair.old_id, pair.new_id, reason=f"detected: {pair.because}")
        return found

    async def accept(
        self,
        trace: RecallTrace,
        memory_ids: Sequence[str],
        *,
        at: datetime | None,
        dry_run: bool,
    ) -> Accepted:
        """What of a recall was of use; see `Recall.aaccept`."""
        missing = sorted(set(memory_ids) - set(trace.returned))
        if missing:
            raise UsageError(
                f"recall {trace.trace_id} did not return {', '.join(missing)}; only what was "
                f"shown can have been of use"
            )
        use = Use(
            trace_id=trace.trace_id,
            at=as_utc(at) or self.clock(),
            retrieved=[candidate.memory_id for candidate in trace.candidates],
            shown=trace.returned,
            accepted=list(dict.fromkeys(memory_ids)),
            lately=shown_in(trace),
        )
        grown = 0 if dry_run else await self.counters.count(use)
        return Accepted(
            trace_id=trace.trace_id,
            retrieved=len(use.retrieved),
            shown=len(use.shown),
            accepted=list(use.accepted),
            counted=grown,
            dry_run=dry_run,
        )

    async def enter(
        self, memory: Memory, deciding: Callable[[KeepingView], rules.Entering], *, dry_run: bool
    ) -> Kept:
        """Store a memory as `deciding` says; nothing is embedded for what is known already.

        Args:
            deciding: asked twice: before anything is embedded, and in the transaction.
        """
        entering = await self.store.look(deciding)
        if not entering.same_as and not dry_run:
            decided: list[rules.Entering] = []

            def decide(view: KeepingView) -> Sequence[KeepingChange]:
                decided.append(deciding(view))
                if decided[-1].same_as:
                    raise _SaidMeanwhile(decided[-1].same_as)
                return decided[-1].changes

            await self.store.expect_room()
            try:
                await self.store.put_deciding(await self._embedded(memory), decide)
                entering = decided[-1]
            except _SaidMeanwhile as same:
                entering = rules.Entering(changes=(), same_as=same.memory_id)
            else:
                await self.store.refresh_topics()
        return Kept(
            memory_id=entering.same_as or memory.memory_id,
            done="unchanged" if entering.same_as else "remembered",
            supersedes=list(entering.supersedes),
            superseded_by=entering.superseded_by,
            dry_run=dry_run,
        )

    # --- inside ---

    async def _change(
        self,
        memory_id: str,
        decide: Callable[[KeepingView], Sequence[KeepingChange]],
        *,
        dry_run: bool,
    ) -> Kept:
        await self._existing(memory_id)
        decided: list[KeepingChange] = []

        def deciding(view: KeepingView) -> Sequence[KeepingChange]:
            decided[:] = decide(view)
            return decided

        if dry_run:
            await self.store.look(deciding)
        else:
            await self.store.change(deciding)
        if not decided:
            return Kept(memory_id=memory_id, done="unchanged", dry_run=dry_run)
        return Kept(
            memory_id=memory_id,
            done=decided[0].act,
            superseded_by=decided[0].keeping.superseded_by,
            dry_run=dry_run,
        )

    def _expired(self, kept: Kept, keeping: Keeping) -> str:
        """What is told of a memory that is stored and does not come back; "" of others."""
        until = keeping.valid_until
        if until is None or until > self.clock() or kept.done != "remembered":
            return ""
        return (
            f"it does not come back: it expired on {until:%Y-%m-%d %H:%M} UTC already; "
            f"restore {kept.memory_id} takes that away"
        )

    async def _existing(self, memory_id: str) -> Memory:
        memory = await self.store.memory(memory_id)
        if memory is None:
            raise rules.unknown(memory_id)
        return memory

    async def _embedded(self, memory: Memory) -> EmbeddedMemory:
        batch = Batch()
        batch.add(memory, chunk_memory(memory, count_tokens=self.tokens))
        (ready,) = await embedded(batch, self.embedder, size=256)
        return ready


class _SaidMeanwhile(UsageError):
    """Another process has stored the same while this one embedded it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} says the same")
        self.memory_id = memory_id


def as_utc(moment: datetime | None) -> datetime | None:
    """A moment without a zone is meant in UTC."""
    if moment is None:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def said_since(moment: datetime, *, given: bool) -> datetime:
    """From when on the same words of continuity are the same memory, and not another event.

    The moment itself where somebody gave it; else the beginning of its day, in UTC.
    """
    return moment if given else moment.replace(hour=0, minute=0, second=0, microsecond=0)


def checked_salience(salience: float | None) -> float:
    """0..1; the neutral one when none is given.

    Raises:
        UsageError: outside.
    """
    if salience is None:
        return Keeping().salience
    if not 0 <= salience <= 1:
        raise UsageError(f"salience must lie in 0..1, not {salience}")
    return salience


def checked_mark(mark: Mark) -> Mark:
    """One of `MARKS`.

    Raises:
        UsageError: something else.
    """
    if mark not in MARKS:
        raise UsageError(f'a mark is "core", "open" or "" for none, not {mark!r}')
    return mark
