"""The services behind an open `Recall`, built over one store."""

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from secondhop.opening import Parts
from secondhop.running import Answering
from secondhop.sync import BackgroundLoop
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from secondhop.annotate.service import Annotating, BackgroundAnnotating
    from secondhop.learning.service import Learning
    from secondhop.memories.cues import Cues
    from secondhop.memories.maintenance import Maintenance
    from secondhop.memories.service import MemoryService
    from secondhop.memories.writing import MemoryWriting
    from secondhop.observe.service import ConversationReading
    from secondhop.sessions.service import Sessions


class Interfaces:
    """One object per service, imported and made at first use: a recall needs few of them."""

    def __init__(
        self,
        parts: Parts,
        *,
        checkpointer: "BaseCheckpointSaver[str] | None",
        loop: BackgroundLoop,
    ) -> None:
        """`loop` runs the sync methods of the services."""
        self._parts, self._loop = parts, loop
        services = parts.services
        files = parts.home.place.traces(services.entity)
        self.traces = TraceFolder(
            files,
            entity=services.entity,
            settings=services.settings.traces,
            stored=parts.store.stored,
        )
        self.answering = Answering(
            parts.store,
            services,
            checkpointer=checkpointer,
            traces=self.traces,
            name=parts.home.name,
        )
        if parts.llm is not None and parts.annotate.by_itself:
            parts.store.after_put = self._wrote

    async def aclose(self) -> None:
        """Stop annotating in the background, and wait until all traces are written."""
        if "background" in vars(self):
            await self.background.aclose()
        await asyncio.to_thread(self.traces.finish)

    def _wrote(self) -> None:
        self.background.wrote()

    @cached_property
    def learning(self) -> "Learning":
        """See `Recall.learning`."""
        from secondhop.learning.service import Learning

        parts = self._parts
        return Learning(parts.store, parts.services, counters=parts.counters, loop=self._loop)

    @cached_property
    def sessions(self) -> "Sessions":
        """See `Recall.sessions`."""
        from secondhop.sessions.rounds import SessionRounds
        from secondhop.sessions.service import Sessions

        services = self._parts.services
        return Sessions(
            SessionRounds(services, traces=self.traces),
            self._parts.sessions,
            entity=services.entity,
            ready=self.answering.ready,
            learn=self.learning.alearn,
            loop=self._loop,
        )

    @cached_property
    def writing(self) -> "MemoryWriting":
        """Writes single memories."""
        from secondhop.memories.writing import MemoryWriting

        parts = self._parts
        return MemoryWriting(
            store=parts.store,
            embedder=parts.embedders.entity,
            counters=parts.counters,
            forgetting=[self.sessions],
            clock=parts.services.clock,
        )

    @cached_property
    def memories(self) -> "MemoryService":
        """See `Recall.memories`."""
        from secondhop.memories.service import MemoryService

        return MemoryService(
            self.writing,
            traces=self.traces,
            reading=self._reading,
            cues=lambda: self.cues,
            briefing=self._parts.services.settings.briefing,
            loop=self._loop,
        )

    @cached_property
    def cues(self) -> "Cues":
        """See `MemoryService.cues`."""
        from secondhop.memories.cues import Cues

        return Cues(self.writing, self.annotating, loop=self._loop)

    @cached_property
    def admin(self) -> "Maintenance":
        """See `Recall.admin`."""
        from secondhop.memories.maintenance import Maintenance

        parts = self._parts
        return Maintenance(
            self.writing,
            home=parts.home,
            services=parts.services,
            traces=self.traces,
            warm=parts.services.playbooks.warm,
            loop=self._loop,
        )

    @cached_property
    def annotating(self) -> "Annotating":
        """See `Cues.aannotate`."""
        from secondhop.annotate.service import Annotating

        parts = self._parts
        return Annotating(
            store=parts.store,
            queue=parts.home.place.annotating,
            llm=parts.llm,
            prompts=parts.prompts,
            embedder=parts.embedders.entity,
            everyday=parts.services.playbooks,
            prices=parts.prices,
            clock=parts.services.clock,
            settings=parts.annotate,
        )

    @cached_property
    def background(self) -> "BackgroundAnnotating":
        """Annotates after writes."""
        from secondhop.annotate.service import BackgroundAnnotating

        return BackgroundAnnotating(self.annotating)

    def _reading(self) -> "ConversationReading":
        from secondhop.observe.service import ConversationReading

        parts = self._parts
        return ConversationReading(
            writing=self.writing,
            llm=parts.llm,
            prompts=parts.prompts,
            prices=parts.prices,
            limits=parts.services.settings.limits,
        )
