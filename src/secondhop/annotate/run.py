"""One annotation run: batches are asked in parallel, and each answer is stored at once.

A killed run loses only the requests that were under way.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime

from secondhop.annotate.annotator import Annotator, BatchCues, PartCues, reply_tokens
from secondhop.annotate.budget import Held, RunBudget
from secondhop.annotate.finish import Signature, WrittenMemory, finished
from secondhop.annotate.generic import GenericCues
from secondhop.annotate.older import MOST_OLDER, older_near
from secondhop.annotate.parts import MemoryPart, batches
from secondhop.annotate.records import AnnotateLedger, FailedMemories, RefusedCue
from secondhop.annotate.settings import AnnotateSettings
from secondhop.annotate.sheet import AnnotateSheet, map_titles
from secondhop.graph.result import Spent
from secondhop.ingest.run import IngestProgress
from secondhop.models.embedder import Embedder
from secondhop.models.llm import LLMError
from secondhop.models.prices import cost_of
from secondhop.nodes.budget import counts_of
from secondhop.stores.cues import Annotation
from secondhop.stores.entity_store import EntityStore

OLDER_A_PART = 4
"""A batch is shown at most this many older memories per part."""

FAILURES = 3
"""This many failed batches in a row end the run: the server is down, or the model unsuitable."""


@dataclass(kw_only=True)
class AnnotateRun:
    """Annotates given memories, within a budget."""

    store: EntityStore
    annotator: Annotator
    embedder: Embedder
    generic: GenericCues
    budget: RunBudget
    settings: AnnotateSettings
    clock: Callable[[], datetime]
    progress: IngestProgress | None = None

    def __post_init__(self) -> None:
        self._ledger = AnnotateLedger(
            model=self.annotator.model_id, prompt=self.annotator.prompt_label
        )
        self._read: dict[str, dict[int, PartCues]] = {}
        """{memory id: {number of a part: its cues}} of memories that are not read to their end."""
        self._refused: list[RefusedCue] = []
        self._failed: dict[tuple[str, int], str] = {}
        """{key of a part: why it has no cues}."""
        self._failed_in_a_row = 0
        """Batches that failed since the last answer."""
        self._stopped = ""
        self._titles: Sequence[str] = ()
        self._places = 1
        """Requests at once. The first is alone, so that the others can use its words."""

    async def all_of(self, memory_ids: Sequence[str]) -> AnnotateLedger:
        """Annotate these memories in the given order; those that fail stay pending."""
        started = time.perf_counter()
        self._titles = await map_titles(self.store)
        self._report(len(memory_ids))
        asking: set[asyncio.Task[None]] = set()
        try:
            async with aclosing(batches(memory_ids, self.store)) as gathered:
                async for batch in gathered:
                    request = await self._room(batch, asking)
                    if request is None:
                        break
                    work = self._batch(*request, total=len(memory_ids))
                    asking.add(asyncio.create_task(work))
            for task in asking:
                await task
        finally:
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
        return await self._outcome(ms=(time.perf_counter() - started) * 1000)

    async def _room(
        self, parts: Sequence[MemoryPart], asking: "set[asyncio.Task[None]]"
    ) -> tuple[AnnotateSheet, Held] | None:
        """Wait for a free place, make the prompt, and reserve what the request may spend; None ends
        the run."""
        while True:
            for task in [task for task in asking if task.done()]:
                asking.discard(task)
                await task  # if it raised, the run ends with that error
                self._places = self.settings.concurrency
            if self._stopped:
                return None
            if len(asking) < self._places:
                sheet = await self._sheet(parts)
                held = self.budget.hold(prompt=sheet.tokens, reply=reply_tokens(len(parts)))
                if held is not None:
                    return sheet, held
                if not asking:
                    self._stopped = f"the limit of {self.budget.bound_text()} was reached"
                    return None
            await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)

    async def _sheet(self, parts: Sequence[MemoryPart]) -> AnnotateSheet:
        """The prompt for these parts."""
        most = min(MOST_OLDER, OLDER_A_PART * len(parts))
        older = await older_near(parts, self.store, limit=most)
        return self.annotator.sheet(parts, older=older, titles=self._titles)

    async def _batch(self, sheet: AnnotateSheet, held: Held, *, total: int) -> None:
        """Ask about one batch and store the answer; ask once more about parts that it left out."""
        written = await self._asked(sheet, held)
        if written is None:
            parts = list(sheet.parts.values())
            self._count_failure(self._failed[parts[0].key])
            await self._halves(parts, total=total)
            return
        await self._take(written, total=total)
        if written.left_out:
            again = await self._again(written.left_out)
            if again is not None:
                await self._take(again, total=total)

    async def _halves(self, parts: Sequence[MemoryPart], *, total: int) -> None:
        """Ask about each half of a failed batch; if only one half fails, halve that one, too."""
        middle = len(parts) // 2
        halves = [half for half in (parts[:middle], parts[middle:]) if middle]
        unanswered: list[Sequence[MemoryPart]] = []
        for half in halves:
            written = None if self._stopped else await self._again(half)
            if written is None:
                unanswered.append(half)
            else:
                await self._take(written, total=total)
        if len(unanswered) == 1:
            await self._halves(unanswered[0], total=total)

    async def _again(self, parts: Sequence[MemoryPart]) -> BatchCues | None:
        """Ask again about some parts of a batch; None if that fails or the budget has no room."""
        sheet = await self._sheet(parts)
        held = self.budget.hold(prompt=sheet.tokens, reply=reply_tokens(len(parts)))
        return None if held is None else await self._asked(sheet, held)

    async def _asked(self, sheet: AnnotateSheet, held: Held) -> BatchCues | None:
        """Send one request; None if it fails, and its parts are noted as failed."""
        seconds = self.settings.call_seconds
        try:
            written = await self.annotator.write(sheet, tokens=held.allowed, seconds=seconds)
        except LLMError as error:
            self.budget.settle(held, error.usage)
            for part in sheet.parts.values():
                self._failed[part.key] = str(error)
            return None
        self.budget.settle(held, written.usage)
        self._failed_in_a_row = 0
        for part in sheet.parts.values():
            self._failed.pop(part.key, None)
        return written

    def _count_failure(self, why: str) -> None:
        """Count a failed batch; after FAILURES in a row, stop the run."""
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= FAILURES and not self._stopped:
            self._stopped = f"{self._failed_in_a_row} requests in a row failed: {why}"

    async def _take(self, batch: BatchCues, *, total: int) -> None:
        """Note the cues of a batch, and store the memories whose parts are all read."""
        self._refused += batch.refused
        for part in batch.left_out:
            self._failed[part.key] = "the model left it out"
        ready: list[WrittenMemory] = []
        for part, cues in batch.written:
            read = self._read.setdefault(part.memory_id, {})
            read[part.number] = cues
            if len(read) == part.of:
                del self._read[part.memory_id]
                in_order = [read[number] for number in sorted(read)]
                ready.append(WrittenMemory(memory=part.memory, parts=in_order))
        if ready:
            await self._store_all(ready)
            self._report(total)

    async def _store_all(self, memories: Sequence[WrittenMemory]) -> None:
        """Embed and store the annotations of memories."""
        signature = Signature(
            origin="model",
            model=self.annotator.model_id,
            prompt=self.annotator.prompt_label,
            written_at=self.clock(),
        )
        done = await finished(
            memories, embedder=self.embedder, generic=self.generic, signature=signature
        )
        await self.store.cues.annotate(done.annotations, done.vectors)
        self._ledger = with_stored(self._ledger, done.annotations)
        self._refused += done.refused

    def _report(self, total: int) -> None:
        if self.progress is not None:
            self.progress("annotate", self._ledger.annotated, total)

    async def _outcome(self, *, ms: float) -> AnnotateLedger:
        """The outcome of the run."""
        budget = self.budget
        spent = replace(budget.spent, lost_tokens=0)
        cost = cost_of(spent, budget.price)
        pending = await self.store.cues.unannotated()
        why_of = {memory_id: why for (memory_id, _), why in self._failed.items()}
        failed: dict[str, list[str]] = {}
        for memory_id in pending:
            if memory_id in why_of:
                failed.setdefault(why_of[memory_id], []).append(memory_id)
        return replace(
            self._ledger,
            pending=len(pending),
            refused=self._refused,
            failed=[
                FailedMemories(why=why, count=len(ids), memory_ids=ids)
                for why, ids in failed.items()
            ],
            stopped=self._stopped,
            spent=Spent.model_validate({**counts_of(spent), "cost_usd": cost, "ms": round(ms, 2)}),
        )


def with_stored(ledger: AnnotateLedger, annotations: Sequence[Annotation]) -> AnnotateLedger:
    """The ledger with these annotations, which were just stored."""
    breadths = [cue.breadth for one in annotations for cue in one.cues]
    return replace(
        ledger,
        annotated=ledger.annotated + len(annotations),
        cues=ledger.cues + breadths.count("specific"),
        broad_cues=ledger.broad_cues + breadths.count("broad"),
        without_cues=ledger.without_cues + sum(not one.cues for one in annotations),
        replacing=ledger.replacing + sum(bool(one.replaces) for one in annotations),
    )
