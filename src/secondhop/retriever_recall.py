"""Recall over what a host has already: its retriever, vector store or LangGraph store."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from secondhop.assembly import Embedders, cached_embedders, scale_of
from secondhop.errors import StoreError, UsageError
from secondhop.graph.explain import Explanation, explain
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.choose_llm import OFFLINE, chosen_llm
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import load_prices, price_of
from secondhop.nodes.config import Config
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.port import Planner
from secondhop.nodes.services import Services
from secondhop.nodes.state import Effort, RecallInput
from secondhop.prompts.templates import PromptSource
from secondhop.retrieved import Finding, RetrievedMemories
from secondhop.running import RecallEvent, run_recall
from secondhop.stores.locks import queue_for
from secondhop.sync import BackgroundLoop, Closing, blocking
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool

ENTITY: Final = "retriever"
"""What results and traces name as the entity."""

STORED: Final = frozenset(
    {"memories", "cues", "sessions", "learning", "admin", "graph", "store", "services"}
    | {"add", "ingest", "annotate", "briefing", "aadd", "aingest", "aannotate", "abriefing"}
)
"""What a `Recall` offers and this does not."""


class NotOverRetrieverError(UsageError, AttributeError):
    """A retriever only finds: nothing can be written, kept or filtered beside it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs memories that secondhop stores, and a recall over a retriever only "
            f"reads; store them (Recall.open, `secondhop ingest`) to have cues, facts, filters "
            f"and forgetting"
        )
        self.what = what


class RetrieverRecall(Closing):
    """Second-hop recall over a retriever; make it by `Recall.over`.

    A planner's queries are asked of the retriever; diversity, critic and trace work as they do
    over a store. What is found is embedded here, and nothing is kept of it after `close`.
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
        """Use `Recall.over`."""
        self._find, self._embedder = find, embedder
        self._llm = chosen_llm(llm) if llm is not None and llm != OFFLINE else None
        self.config = config or Config()
        """Limits and ranking in force."""
        self.planner: Planner | None = None
        self.critic: Critic | None = None
        if self._llm is not None:
            from secondhop.nodes.llm_services import llm_services

            self.planner, self.critic = llm_services(
                self._llm, prompts=prompts, planning=self.config.planning
            )
        self._folder = TemporaryDirectory(prefix="secondhop-")
        self._traces = TraceFolder(
            Path(self._folder.name), entity=ENTITY, settings=self.config.traces
        )
        self._loop = BackgroundLoop()
        self._models: Embedders | None = None
        self._closed = False

    async def arecall(
        self,
        /,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        effort: Effort | None = None,
        **others: object,
    ) -> RecallResult:
        """As `Recall.arecall`, without filters and moments.

        Raises:
            UsageError: an empty question, k or tokens below 1, both, or what only a store has.
        """
        result: RecallResult | None = None
        async for event in self.astream(question, k=k, tokens=tokens, effort=effort, **others):
            result = event.result or result
        if result is None:
            raise StoreError("the recall ended without an answer; please report this")
        return result

    recall = blocking(arecall)

    async def astream(
        self,
        question: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        effort: Effort | None = None,
        **others: object,
    ) -> AsyncIterator[RecallEvent]:
        """As `arecall`, one event a step; the last one carries the result and the trace."""
        from secondhop.graph.builder import build_recall_graph

        for name, given in others.items():
            if given:
                raise NotOverRetrieverError(f"recall(…, {name}=…)")
        asked: RecallInput = {"question": question, "k": k, "tokens": tokens, "effort": effort}
        services = await self._services()
        graph = build_recall_graph(services)
        try:
            async for event in run_recall(graph, asked, services=services):
                if event.draft is not None:
                    self._traces.keep(event.draft)
                yield event
        finally:
            if self._closed:  # meanwhile: what it has written since goes, too
                await self.aclose()

    def trace(self, trace_id: str) -> RecallTrace:
        """The trace of a recall, until this is closed."""
        return self._traces.load(trace_id)

    def explain(self, trace: str | RecallTrace | RecallResult, memory_id: str) -> Explanation:
        """Why a memory came back, or why not, as far as a query found it."""
        if isinstance(trace, RecallResult):
            trace = trace.trace_id
        return explain(self.trace(trace) if isinstance(trace, str) else trace, memory_id)

    def as_retriever(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseRetriever":
        """See `Recall.as_retriever`."""
        from secondhop.langchain_bridge import SecondhopRetriever

        return SecondhopRetriever(recall=self, k=k, tokens=tokens, effort=effort)

    def as_tool(
        self, *, k: int | None = None, tokens: int | None = None, effort: Effort | None = None
    ) -> "BaseTool":
        """See `Recall.as_tool`."""
        from secondhop.langchain_bridge import recall_tool

        return recall_tool(self, k=k, tokens=tokens, effort=effort)

    async def aclose(self) -> None:
        """Forget what was embedded, and the traces; the host's retriever stays open."""
        self._closed = True
        await asyncio.to_thread(self._traces.finish)
        if self._models is not None:
            await self._models.aclose()
        self._folder.cleanup()

    def close(self) -> None:
        """As `aclose`, for callers without an event loop."""
        self._loop.run(self.aclose)
        self._loop.close()

    async def _services(self) -> Services:
        """Of one recall: what it finds is its own."""
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
            raise StoreError("the recall was closed; make another one")
        async with queue_for(self._folder.name):
            if self._models is None:
                base = await chosen_embedder(self._embedder)
                file = Path(self._folder.name) / "embeddings.db"
                owned = [base] if isinstance(self._embedder, str) else []
                self._models = cached_embedders(base, entity_cache=file, owned=owned)
        return self._models

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Names of `Recall` that need a store."""
            if name in STORED:
                raise NotOverRetrieverError(f"recall.{name}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
