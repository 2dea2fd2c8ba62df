"""Finds and removes every trace of a forgotten memory."""

import asyncio
import logging
import os
import time
from collections.abc import Collection, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

from secondhop.errors import SecondhopError, StoreBusyError, StoreError, UnfinishedForgettingError
from secondhop.ingest.batches import embedding_text
from secondhop.memories.records import Forgotten
from secondhop.memories.writing import MemoryWriting
from secondhop.models.embedding_cache import CachingEmbedder, text_digest
from secondhop.stores.catalog.quotes import quoting, says, with_sentences
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import to_its_end
from secondhop.stores.records import Erasure, Memory
from secondhop.traces import TraceFolder

logger = logging.getLogger(__name__)

LOOKED_AT = 50
"""Passages, those with the most words of a forgotten text, that are searched for repetitions."""

CLOCKS_NS = 60 * 10**9
"""How far apart the clocks of two machines may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What is erased with some memories."""

    memory_ids: Sequence[str]
    said: Sequence[str]
    """What they say, whole and by sentences."""
    texts: Sequence[str]
    """All their words: also names of speakers, titles and cues."""
    passages: Sequence[str]
    """Their ids."""
    origins: Sequence[str]
    """Where they were ingested from."""
    traces: Sequence[str]
    """Names of the traces that mention one of the memories and may hold its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetter:
    """Deletes memories of one entity for good, and finishes deletions that were interrupted."""

    writing: MemoryWriting
    traces: TraceFolder

    async def forget(self, memory_ids: Sequence[str], *, dry_run: bool = False) -> Forgotten:
        """Delete these memories, and those of an earlier call that was interrupted.

        One call after the other, in all processes: each reads, masks and writes the same traces.

        Raises as `MemoryService.aforget`.
        """
        if dry_run or self in _under_way.get(()):  # a step of `forget` may call `forget` again
            return await self._forgotten(memory_ids, dry_run=dry_run)
        async with self.writing.store.forgetting():
            return await self._alone(memory_ids)

    async def _alone(self, memory_ids: Sequence[str]) -> Forgotten:
        """`forget` while nobody else forgets."""
        here = [self]
        outer = _under_way.set(here)
        try:
            return await self._forgotten(memory_ids, dry_run=False)
        finally:
            here.clear()  # tasks that a step has started wait again from now on
            _under_way.reset(outer)

    async def _forgotten(self, memory_ids: Sequence[str], *, dry_run: bool) -> Forgotten:
        unfinished = await self.writing.store.erasure.unfinished() or []
        for memory_id in set(memory_ids) - set(unfinished):
            await self.writing.existing(memory_id)
        everything = list(dict.fromkeys([*memory_ids, *unfinished]))
        repeated = await repeated_in(self.writing.store, memory_ids)
        found = await would_erase(self.writing.store, self.traces, everything)
        erased = Erasure(text=True, vectors=True) if dry_run else await self._erase(found)
        return Forgotten(
            memory_ids=everything,
            passages=len(found.passages),
            traces=len(found.traces),
            complete=erased.text,
            vectors_complete=erased.vectors,
            still_in=[one for one in found.origins if await asyncio.to_thread(os.path.exists, one)],
            repeated_in=repeated,
            dry_run=dry_run,
        )

    async def finish(self) -> None:
        """Finish a `forget` that a kill or an error interrupted, if there is one; not one that
        another process is in the middle of."""
        unfinished = await self.writing.store.erasure.unfinished()
        if unfinished is None:
            return
        try:
            async with self.writing.store.forgetting(timeout_s=0):
                await self._alone([])
        except StoreBusyError:
            return
        except (OSError, SecondhopError) as error:
            logger.warning("%s", error)
        else:
            what = ", ".join(unfinished) or "its memories were deleted before, its leftovers now"
            logger.warning("an unfinished `forget` is finished now: %s", what)

    async def _erase(self, found: Erased) -> Erasure:
        """Erase it. Once the store notes that it is to go, a cancellation waits for the end."""
        erasure, begun_ns = self.writing.store.erasure, time.time_ns()
        try:
            await erasure.begin(found.memory_ids)
        except asyncio.CancelledError:
            noted = await to_its_end(erasure.unfinished()) or []
            if set(found.memory_ids) <= set(noted):
                await to_its_end(self._erase_begun(found, begun_ns=begun_ns))
            raise
        return await to_its_end(self._erase_begun(found, begun_ns=begun_ns))

    async def _erase_begun(self, found: Erased, *, begun_ns: int) -> Erasure:
        """Erase what the store notes as going."""
        try:
            await self.writing.unlearn(found.memory_ids)
            await self._forget_questions(found)
            erased = await erase(self.writing, self.traces, found)
            # a session elsewhere may have counted them while they were still stored
            await self.writing.counters.forget(found.memory_ids)
            # and a recall may have traced them
            late = partial(
                self.traces.naming,
                found.memory_ids,
                said=found.said,
                since_ns=begun_ns - CLOCKS_NS,
            )
            await mask(self.traces, await asyncio.to_thread(late), found)
            return erased
        except (OSError, StoreError) as error:
            raise UnfinishedForgettingError(found.memory_ids, reason=str(error)) from error

    async def _forget_questions(self, found: Erased) -> None:
        """Remove, from all memories, the questions of sessions that voted on these memories or
        repeat their words. They may reveal what the memories said."""
        known = await self.writing.store.cues.proved()
        gone = {cue.text for cue in known if cue.memory_id in found.memory_ids}
        gone |= quoting([cue.text for cue in known], found.said)
        await self.writing.store.cues.remove([cue.cue_id for cue in known if cue.text in gone])


_under_way: ContextVar[Sequence[Forgetter]] = ContextVar("_under_way")
"""Whose `forget` this task is in; empty after it."""


async def would_erase(store: EntityStore, traces: TraceFolder, memory_ids: Sequence[str]) -> Erased:
    """What there is to erase. Changes nothing."""
    held = [found for i in memory_ids if (found := await store.whole(i)) is not None]
    before = await store.look(lambda view: [t for i in memory_ids for t in view.earlier_texts(i)])
    known = [*(memory for memory, _ in held), *(text.memory for text in before)]
    contents = [message.content for memory in known for message in memory.messages]
    said = [part for content in contents for part in with_sentences(content)]
    cues = (await store.cues.of_memories(memory_ids)).values()
    naming = await asyncio.to_thread(partial(traces.naming, memory_ids, said=said))
    return Erased(
        memory_ids=memory_ids,
        said=said,
        texts=[
            *(text for memory in known for text in texts_of(memory)),
            *(cue.text for own in cues for cue in own),
        ],
        passages=[passage.passage_id for _, passages in held for passage in passages],
        origins=sorted({memory.origin for memory, _ in held if memory.origin}),
        traces=naming,
    )


async def repeated_in(store: EntityStore, memory_ids: Sequence[str]) -> list[str]:
    """Ids of other memories that seem to say what these say, sorted; [] if the search fails."""
    held = [found for one in memory_ids if (found := await store.whole(one)) is not None]
    own = sum(len(passages) for _, passages in held)
    try:
        hits = await store.lexical([memory.text for memory, _ in held], k=LOOKED_AT + own)
    except StoreError:  # it is only a notice
        return []
    near = [{hit.memory_id for hit in found} - {*memory_ids} for found in hits]
    others = {one: await store.memory(one) for one in set[str]().union(*near)}
    return sorted(
        {
            other.memory_id
            for (memory, _), ids in zip(held, near, strict=True)
            for one in ids
            if (other := others[one]) is not None and says(other.text, memory)
        }
    )


def texts_of(memory: Memory) -> list[str]:
    """Everything that a memory says, with the names of who says it."""
    said = [text for message in memory.messages for text in (message.role, message.content)]
    return [*said, memory.title, memory.scope]


async def erase(writing: MemoryWriting, traces: TraceFolder, found: Erased) -> Erasure:
    """Erase traces and cached embeddings first, and the memories last.

    Texts that grew had other passages before, and so had memories that an ingest deleted. Those
    passages are no longer known, so the cache keeps only the passages and cues stored now.
    """
    await mask(traces, found.traces, found)
    if isinstance(writing.embedder, CachingEmbedder):
        held = await passages_without(writing.store, found.memory_ids)
        await writing.embedder.keep_passages(held)
    return await writing.store.erasure.erase(found.memory_ids)


async def mask(traces: TraceFolder, names: Sequence[str], found: Erased) -> None:
    """Remove the words of the erased memories from these traces."""
    if names:
        masking = partial(traces.mask, names, found.memory_ids, texts=found.texts)
        await to_its_end(asyncio.to_thread(masking))


async def passages_without(store: EntityStore, gone: Collection[str]) -> set[bytes]:
    """Digests of the embedded texts of all passages and cues, except those of the memories in
    `gone`."""
    held = set[bytes]()
    async for page in store.pages():
        held |= {
            text_digest(embedding_text(memory, passage))
            for memory, passages in page
            if memory.memory_id not in gone
            for passage in passages
        }
        staying = [memory.memory_id for memory, _ in page if memory.memory_id not in gone]
        cues = (await store.cues.of_memories(staying)).values()
        held |= {text_digest(cue.text) for own in cues for cue in own}
    return held
