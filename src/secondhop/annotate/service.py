"""Annotates for an open `Recall`: on request, or some time after a write."""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from secondhop.annotate.annotator import Annotator
from secondhop.annotate.budget import RunBudget
from secondhop.annotate.estimate import estimated
from secondhop.annotate.generic import GenericCues
from secondhop.annotate.records import AnnotateLedger
from secondhop.annotate.run import AnnotateRun
from secondhop.annotate.settings import AnnotateSettings
from secondhop.errors import StoreError, UsageError
from secondhop.ingest.run import IngestProgress
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import PriceTable, price_of
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.prompts.templates import PromptSource, load_prompts
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import to_its_end

if TYPE_CHECKING:  # psycopg is optional
    from secondhop.stores.postgres.annotation_rows import AnnotationRows

logger = logging.getLogger(__name__)

ENTITIES_AT_ONCE = 2
"""How many entities a process annotates in the background at once; the others wait."""

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


_POLL_S = 0.05


@asynccontextmanager
async def held(lock: threading.Lock) -> AsyncGenerator[None, None]:
    """Hold a lock that tasks of several event loops share: the host's, and that of sync calls."""
    while not lock.acquire(blocking=False):  # noqa: ASYNC110 - an Event belongs to one loop
        await asyncio.sleep(_POLL_S)
    try:
        yield
    finally:
        lock.release()


@dataclass(slots=True, kw_only=True)
class Annotating:
    """Writes the cues of one entity's memories with its language model."""

    store: EntityStore
    llm: StructuredLLM | None
    """None: nothing can be annotated."""
    prompts: PromptSource | None
    embedder: Embedder
    everyday: Playbooks
    """Their everyday questions serve to detect generic cues."""
    prices: PriceTable
    clock: Callable[[], datetime]
    settings: AnnotateSettings = field(default_factory=AnnotateSettings)
    queue: "AnnotationRows | None" = None
    """Keeps several workers from annotating the same memories."""
    _one_run: threading.Lock = field(default_factory=threading.Lock)

    async def estimate(self) -> AnnotateLedger:
        """A ledger in which nothing was done, with the estimate for all pending memories."""
        annotator = self._annotator()
        pending = await self.store.cues.unannotated()
        price = price_of(annotator.model_id, self.prices)
        return AnnotateLedger(
            pending=len(pending),
            model=annotator.model_id,
            prompt=annotator.prompt_label,
            estimate=await estimated(pending, self.store, annotator, price=price),
        )

    async def run(
        self,
        *,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        progress: IngestProgress | None = None,
    ) -> AnnotateLedger:
        """Annotate all pending memories; first waits for a run that is under way.

        Raises:
            UsageError: there is no language model, or no price for a bound in dollars.
        """
        annotator = self._annotator()
        price = price_of(annotator.model_id, self.prices)
        budget = RunBudget(max_tokens=max_tokens, max_usd=max_usd, price=price)
        async with held(self._one_run):
            run = AnnotateRun(
                store=self.store,
                annotator=annotator,
                embedder=self.embedder,
                generic=GenericCues(self.everyday, self.embedder),
                budget=budget,
                settings=self.settings,
                clock=self.clock,
                progress=progress,
            )
            return await run.all_of(await self.store.cues.unannotated())

    async def note(self) -> None:
        """Note in the queue that memories were written, so that any worker can annotate them."""
        if self.queue is not None:
            await to_its_end(asyncio.to_thread(self.queue.note, self.store.identity.entity))

    async def run_alone(self) -> AnnotateLedger | None:
        """Like `run`; None if another worker is annotating the entity, or has done so."""
        if self.queue is None:
            return await self.run()
        entity, done = self.store.identity.entity, False
        if not await asyncio.to_thread(self.queue.claim, entity):
            return None
        try:
            ledger = await self.run()
            done = True
            return ledger
        finally:
            release = partial(self.queue.release, entity, done=done)
            await to_its_end(asyncio.to_thread(release))

    async def waits(self) -> bool:
        """Whether the entity is still in the queue: waiting, or being annotated by a worker."""
        queue, entity = self.queue, self.store.identity.entity
        return queue is not None and await asyncio.to_thread(queue.waits, entity)

    def expect_model(self) -> StructuredLLM:
        """The language model."""
        if self.llm is None:
            raise UsageError(
                "cues are written by a language model, but none is named: open with "
                "llm='openai:MODEL' (--llm openai:MODEL, SECONDHOP_LLM, or OPENAI_MODEL with "
                "OPENAI_API_KEY), or write cues yourself: Memory(cues=...)"
            )
        return self.llm

    def _annotator(self) -> Annotator:
        return Annotator(self.expect_model(), load_prompts(self.prompts))


class BackgroundAnnotating:
    """Annotates some time after the last write, while its `Recall` is open, in at most one task.

    Memories that are not annotated when it is closed stay pending in the catalog, until the next
    write, `aannotate` or `secondhop annotate`.
    """

    def __init__(self, annotating: Annotating) -> None:
        self._annotating = annotating
        self._task: asyncio.Task[None] | None = None
        self._wrote_again = False

    def wrote(self) -> None:
        """Start the task if none runs; call this in the event loop that stored the memories."""
        self._wrote_again = True
        if self._annotating.llm is None or (self._task is not None and not self._task.done()):
            return
        self._task = asyncio.get_running_loop().create_task(self._when_quiet())

    async def aclose(self) -> None:
        """Cancel the task; a write to the store that is under way is completed."""
        task, self._task = self._task, None
        if task is not None and self._wrote_again:
            await self._note()
        if task is None or task.done():
            return
        if task.get_loop() is asyncio.get_running_loop():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        elif task.get_loop().is_running():
            task.get_loop().call_soon_threadsafe(task.cancel)

    async def _when_quiet(self) -> None:
        while self._wrote_again:
            while self._wrote_again:
                self._wrote_again = False
                await self._note()
                await asyncio.sleep(self._annotating.settings.quiet_seconds)
            try:
                while (  # noqa: ASYNC110 - another process sends no event to wait for
                    ledger := await self._run()
                ) is None and await self._annotating.waits():
                    await asyncio.sleep(self._annotating.settings.quiet_seconds)
                if ledger is not None:
                    logger.info("annotated %d memories, %d wait", ledger.annotated, ledger.pending)
            except Exception as error:  # a model may raise anything, and nobody awaits this task
                logger.warning("memories wait to be annotated: %s", error)

    async def _run(self) -> AnnotateLedger | None:
        loop = asyncio.get_running_loop()
        async with _turns.setdefault(loop, asyncio.Semaphore(ENTITIES_AT_ONCE)):
            return await self._annotating.run_alone()

    async def _note(self) -> None:
        try:
            await self._annotating.note()
        except StoreError as error:
            logger.warning("no other worker will annotate what was written: %s", error)
