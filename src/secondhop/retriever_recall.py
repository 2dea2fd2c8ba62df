"""Recall over a host's own retriever, vector store or LangGraph store."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from secondhop.askable import Askable
from secondhop.errors import StoreError, UsageError
from secondhop.explaining import found_trace
from secondhop.graph.explain import explain
from secondhop.graph.explanation import Explanation
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.choose_llm import chosen_llm
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import load_prices, price_of
from secondhop.nodes.config import Config
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.port import Planner
from secondhop.nodes.selection.scale import scale_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.opening import Embedders, cached_embedders, checked
from secondhop.prompts.templates import PromptSource
from secondhop.retrieved import Finding, RetrievedMemories
from secondhop.running import RecallEvents, run_recall
from secondhop.stores.locks import queue_for
from secondhop.sync import BackgroundLoop
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

ENTITY: Final = "retriever"
"""The entity that results and traces name."""

MOMENTS_AND_FILTERS: Final = {
    "at": "asked_at",
    "as_of": "as_of",
    "include_stale": "include_stale",
    "where": "where",
}
"""{argument of `recall`: its name in the graph's input} for arguments that need a store."""


class RetrieverRecall(Askable):
    """Second-hop recall over a retriever; made by `Recall.over`.

    The planner's queries go to the retriever. Diversity, critic and trace work as they do over a
    store. Documents are embedded here; `close` discards the vectors and traces.
    """

    def __init__(
        self,
        find: Finding,
        *,
        embedder: "str | Embedder | Embeddings",
        llm: "str | StructuredLLM | BaseChatModel | None",
        config: Config | None,
        prompts: PromptSource | None,
    ) -> None:
        """Use `Recall.over` instead."""
        self._find, self._embedder = find, embedder
        config, prompts = checked(config, prompts, {}, caller="Recall.over")
        self.config = config or Config()
        """The limits and ranking settings in use."""
        self._llm = chosen_llm(llm, deadline_s=self.config.limits.deadline_s)
        self._owned: list[object] = [self._llm] if isinstance(llm, str) else []
        self.planner: Planner | None = None
        self.critic: Critic | None = None
        if self._llm is not None:
            from secondhop.nodes.llm_services import llm_services

            self.planner, self.critic = llm_services(
                self._llm, prompts=prompts, planning=self.config.planning
            )
        # a recall that still runs may write while it is deleted; its end deletes the rest
        self._folder = TemporaryDirectory(prefix="secondhop-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        traces = TraceFolder(folder, entity=ENTITY, settings=self.config.traces)
        super().__init__(traces, BackgroundLoop(), run=self._events)
        self._models: Embedders | None = None
        self._closed = False

    if not TYPE_CHECKING:  # type checkers tell it themselves

        def __getattr__(self, name: str) -> None:
            raise AttributeError(
                f"a recall over a retriever only reads, and has no {name!r}; what needs memories "
                f"that secondhop stores comes with Recall.open",
                name=name,
                obj=self,
            )

    async def _events(self, asked: RecallInput, thread_id: str | None) -> RecallEvents:
        from secondhop.graph.builder import build_recall_graph

        only_of_stores = {name: asked.get(field) for name, field in MOMENTS_AND_FILTERS.items()}
        for name, given in {**only_of_stores, "thread_id": thread_id}.items():
            if given:
                raise UsageError(
                    f"recall(…, {name}=…) needs memories that secondhop stores, and a recall over "
                    f"a retriever only reads; store them (Recall.open, `secondhop ingest`) to have "
                    f"cues, facts, filters and forgetting"
                )
        services = await self._services()
        graph = build_recall_graph(services)
        try:
            async with aclosing(run_recall(graph, asked, services=services)) as events:
                async for event in events:
                    if event.draft is not None:
                        self._traces.keep(event.draft)
                    yield event
        finally:
            if self._closed:  # it was closed meanwhile; remove what was written since
                await self.aclose()

    async def _explained(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> Explanation:
        return explain(found_trace(trace, self._traces), memory_id)

    async def aclose(self) -> None:
        """Delete vectors and traces; the host's retriever stays open."""
        self._closed = True
        await asyncio.to_thread(self._traces.finish)
        if self._models is not None:
            await self._models.aclose()
        self._folder.cleanup()

    async def _services(self) -> Services:
        """Services for one recall; recalls do not share what they find."""
        models = await self._opened()
        found = RetrievedMemories(self._find, models.entity)
        await models.library.playbooks.warm()
        return Services(
            entity=ENTITY,
            search=found,
            reader=found,
            embedder=found,
            scale=scale_of(models.entity.model_id),
            playbooks=models.library.playbooks,
            planner=self.planner,
            critic=self.critic,
            price=price_of(self._llm.model_id, load_prices()) if self._llm is not None else None,
            settings=self.config,
        )

    async def _opened(self) -> Embedders:
        if self._closed:
            raise StoreError("the recall was closed; open another one")
        async with queue_for(self._folder.name):
            if self._models is None:
                base = await chosen_embedder(self._embedder)
                file = Path(self._folder.name) / "embeddings.db"
                if isinstance(self._embedder, str):
                    self._owned.append(base)
                self._models = cached_embedders(base, entity_cache=file, owned=self._owned)
        return self._models
