"""Writes single memories to the store of one entity, as decided in the catalog."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

import numpy as np

from secondhop.errors import UsageError
from secondhop.ingest.batches import Batch, embedded
from secondhop.ingest.chunk import chunk_memory
from secondhop.memories import rules as rules
from secondhop.memories.records import Kept
from secondhop.models.embedder import Embedder
from secondhop.stores.catalog.keeping import Decision, KeepingView
from secondhop.stores.counters import CounterStore
from secondhop.stores.cues import MOST_CUES, Cue
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import KeepingChange
from secondhop.stores.records import Memory

Deciding: TypeAlias = Callable[[KeepingView], rules.NewMemoryDecision]


class Forgets(Protocol):
    """Keeps data about memories, and can forget it."""

    async def aforget(self, memory_ids: Sequence[str]) -> None:
        """Forget everything about these memories; unknown ids are no error."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWriting:
    """Embeds and stores single memories, and changes their status."""

    store: EntityStore
    embedder: Embedder
    counters: CounterStore
    clock: Callable[[], datetime]
    forgetting: list[Forgets] = field(default_factory=list[Forgets])
    """These forget a memory before it is deleted itself, such as sessions."""

    async def enter(self, memory: Memory, deciding: Deciding, *, dry_run: bool) -> Kept:
        """Store a memory as `deciding` says; one that is already known is not embedded.

        A memory without tags takes those of the memories that it supersedes, and their cues.

        Args:
            deciding: called twice: before anything is embedded, and in the transaction.
        """
        decision = await self.store.look(deciding)
        if not decision.same_as and not dry_run:
            if not memory.tags and decision.supersedes:
                replaced = [await self.existing(one) for one in decision.supersedes]
                tags = dict.fromkeys(tag for one in replaced for tag in one.tags)
                memory = replace(memory, tags=tuple(tags))
            decision = await self._stored(memory, deciding)
        if not dry_run:
            await self.take_cues(decision.same_as or memory.memory_id, decision.supersedes)
        return Kept(
            memory_id=decision.same_as or memory.memory_id,
            done=done_by(decision),
            supersedes=list(decision.supersedes),
            superseded_by=decision.superseded_by,
            notice=decision.notice,
            dry_run=dry_run,
        )

    async def take_cues(self, memory_id: str, superseded: Sequence[str]) -> None:
        """Give a memory without cues copies of the cues of those that it supersedes: it is needed
        for the same requests. The cues of sessions are not copied, because they are votes.

        A repeated call does what an interrupted one left undone.
        """
        if not superseded:
            return
        stored = dict(await self.store.cues.of_memories([memory_id, *superseded]))
        if any(cue.origin != "session" for cue in stored.pop(memory_id, ())):
            return
        theirs = first_of_each([cue for cues in stored.values() for cue in cues])
        vectors = await self.store.cues.vectors([cue.cue_id for cue in theirs])
        copies = {
            copy.cue_id: (copy, vectors[cue.cue_id])
            for cue in theirs
            if cue.cue_id in vectors
            for copy in [replace(cue, memory_id=memory_id)]
        }
        if copies:
            cues, rows = zip(*copies.values(), strict=True)
            await self.store.cues.add(cues, np.stack(rows))

    async def change(self, memory_id: str, decide: Decision, *, dry_run: bool) -> Kept:
        """Change the status of a stored memory, as `decide` says."""
        await self.existing(memory_id)
        decided: list[KeepingChange] = []

        def deciding(view: KeepingView) -> Sequence[KeepingChange]:
            decided[:] = decide(view)
            return decided

        await (self.store.look(deciding) if dry_run else self.store.change(deciding))
        if not decided:
            return Kept(memory_id=memory_id, done="unchanged", dry_run=dry_run)
        return Kept(
            memory_id=memory_id,
            done=decided[0].act,
            superseded_by=decided[0].keeping.superseded_by,
            dry_run=dry_run,
        )

    async def put_over(self, known: Memory | None, memory: Memory) -> bool:
        """Store a memory if `known` is still what is stored under its id; None stands for nothing.
        Returns whether it was stored."""

        def decide(view: KeepingView) -> Sequence[KeepingChange]:
            if view.memory(memory.memory_id) != known:
                raise _MeanwhileError(memory.memory_id)
            return ()

        return await self._put(memory, decide)

    async def unlearn(self, memory_ids: Sequence[str]) -> None:
        """Forget counters and sessions of memories that are about to be deleted."""
        await self.counters.forget(memory_ids)
        for other in self.forgetting:
            await other.aforget(memory_ids)

    async def existing(self, memory_id: str) -> Memory:
        """The stored memory of this id. Raises UsageError if there is none."""
        return await self.store.look(lambda view: rules.existing(memory_id, view))

    async def _stored(self, memory: Memory, deciding: Deciding) -> rules.NewMemoryDecision:
        decided: list[rules.NewMemoryDecision] = []

        def decide(view: KeepingView) -> Sequence[KeepingChange]:
            decided.append(deciding(view))
            if decided[-1].same_as:
                raise _MeanwhileError(decided[-1].same_as)
            return decided[-1].changes

        await self._put(memory, decide)
        return decided[-1]

    async def _put(self, memory: Memory, decide: Decision) -> bool:
        """Embed and store a memory; false if `decide` raised _MeanwhileError."""
        batch = Batch()
        batch.add(memory, chunk_memory(memory))
        (ready,) = await embedded(batch, self.embedder)
        try:
            await self.store.put([ready], decide=decide)
        except _MeanwhileError:
            return False
        return True


def done_by(decision: rules.NewMemoryDecision) -> Literal["unchanged", "superseded", "remembered"]:
    """What a decision does with a new memory, in the words of `Kept.done`."""
    if decision.same_as:
        return "unchanged"
    return "superseded" if decision.superseded_by else "remembered"


def first_of_each(cues: Iterable[Cue]) -> list[Cue]:
    """The first cues of each writer, as many as it may write of each breadth; none of sessions."""
    kept: dict[tuple[str, str], list[Cue]] = {}
    for cue in cues:
        own = kept.setdefault((cue.origin, cue.breadth), [])
        if cue.origin != "session" and len(own) < MOST_CUES[cue.breadth]:
            own.append(cue)
    return [cue for own in kept.values() for cue in own]


class _MeanwhileError(UsageError):
    """Another process has stored the same, or another text, while this one embedded its own."""
