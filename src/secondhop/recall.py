"""The front door: `Recall`."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from secondhop.answering_recall import AnswersQuestions
from secondhop.assembly import Embedders, assemble, cached_embedders, chosen_scale
from secondhop.briefing.recall_part import BriefsSessions
from secondhop.explaining_recall import ExplainsAnswers
from secondhop.given_values import check_id
from secondhop.graph.compiled import CompiledGraphs
from secondhop.ingesting_recall import StoresMemories
from secondhop.learning.service import Learning
from secondhop.memories.maintenance import Maintenance
from secondhop.memories.maintenance_part import CaresForMemories
from secondhop.memories.recall_part import KeepsMemories
from secondhop.memories.reindex import open_entity
from secondhop.memories.service import MemoryService
from secondhop.memories.writing import MemoryWriting
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.choose_llm import OFFLINE, chosen_llm
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import PriceTable, load_prices
from secondhop.models.reranker import Reranker
from secondhop.nodes.entity_config import decided_by_caller
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.services import Services
from secondhop.nodes.session_settings import SessionSettings
from secondhop.nodes.settings import RecallSettings
from secondhop.observe.recall_part import ObservesMessages
from secondhop.observe.service import ConversationReading
from secondhop.prompts.templates import PromptSource, load_prompts
from secondhop.sessions.recall_part import KeepsSessions
from secondhop.sessions.rounds import SessionRounds
from secondhop.sessions.service import Sessions
from secondhop.sessions.stores import chosen_sessions
from secondhop.settings_recall import KeepsSettings
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.learning import LearningStore
from secondhop.stores.sessions import SessionStore
from secondhop.stores.store_directory import StoreDirectory, entity_slug
from secondhop.sync_door import SyncDoor
from secondhop.traces import traces_of

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from secondhop.graph.builder import RecallGraph

DEFAULT_STORE = Path(".secondhop")


class Recall(
    AnswersQuestions,
    ExplainsAnswers,
    StoresMemories,
    KeepsMemories,
    ObservesMessages,
    CaresForMemories,
    KeepsSessions,
    BriefsSessions,
    KeepsSettings,
):
    """The memory of one entity, ready to be asked.

    Open it with `Recall.open(...)`, or `await Recall.aopen(...)` inside an event loop; close it,
    or use it as a (sync or async) context manager. Every method that waits has an async form
    whose name begins with "a". One object may be shared by concurrent recalls.

    Here it is put together, opened and closed; what it can do stands in its parts, one a file.
    """

    def __init__(
        self,
        home: StoreDirectory,
        store: EntityStore,
        embedders: Embedders,
        services: Services,
        *,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        sessions: str | SessionStore | None = None,
        llm: StructuredLLM | None = None,
        prompts: PromptSource | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        """Use `open`; this takes the parts as they are."""
        self._home, self._store, self._embedders = home, store, embedders
        self._services = services
        self._graphs = CompiledGraphs(services, checkpointer)
        self._has_memories = False
        self._traces = traces_of(services.entity, store=home.path)
        counters = CounterStore(self._traces.path.parent / "counters.db")
        self._learned = services.learning or LearningStore(
            self._traces.path.with_name("learning.db")
        )
        self._learning = Learning(self._learned, services, counters=counters)
        self._door = SyncDoor()
        caches = [embedders.caches[0]]
        writing = MemoryWriting(
            store=store,
            embedder=embedders.entity,
            counters=counters,
            forgetting=[embedders.nearness, self._learning],
            clock=services.clock,
        )
        self.memories = MemoryService(
            writing,
            traces=self._traces,
            caches=caches,
            successor_at=services.scale.successor_at,
            door=self._door,
        )
        self.admin = Maintenance(writing, folder=home.path, learned=self._learned, door=self._door)
        self._reading = ConversationReading(
            writing=writing,
            llm=llm,
            prompts=prompts,
            prices=prices or {},
            limits=services.settings.limits,
        )
        self.sessions = Sessions(
            SessionRounds(services),
            chosen_sessions(sessions, store=home.path, entity=services.entity),
            entity=services.entity,
            ready=self._ready,
            learner=self._learning,
            door=self._door,
        )
        writing.forgetting.append(self.sessions)

    @classmethod
    async def aopen(
        cls,
        path: str | Path | None = None,
        *,
        entity: str = "default",
        embedder: "str | Embedder | Embeddings" = "default",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        prompts: PromptSource | None = None,
        chroma_url: str | None = None,
        settings: RecallSettings | None = None,
        reranker: Reranker | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        prices: str | Path | None = None,
        sessions: str | SessionStore | None = None,
        session_settings: SessionSettings | None = None,
        scale: str | Path | ModelScale | None = None,
        caches: str | Path | None = None,
        decided: Collection[str] | None = None,
        mending: bool = False,
    ) -> Self:
        """Open the memory of `entity` in the store at `path`; nothing is created before a write.

        Args:
            path: the store's folder; default `./.secondhop`.
            entity: whose memory; nothing ever crosses from one entity to another.
            embedder: "default", "hashing", "openai:MODEL", an embedder of ours, or any
                langchain-core `Embeddings`.
            llm: plans and judges: "openai:MODEL" (any server that speaks the protocol), a
                langchain-core chat model, or None (or "offline") for a recall without one.
            prompts: a folder whose files take the place of the prompts that ship
                (docs/prompts.md), or every prompt by name; checked always, for an `llm` to read.
            chroma_url: keep the vectors on a Chroma server instead of in the folder.
            settings: limits and ranking; the defaults suit most.
            reranker: reads question and passage together; optional.
            checkpointer: a LangGraph checkpointer, so that a recall with a thread id can resume.
            prices: a YAML file of model prices, over those that ship with secondhop.
            sessions: where recalls that wait for votes are kept: the address of a Redis server, or
                a store of your own; default a file in the entity's folder.
            session_settings: how long they stay open, and what a round shows.
            scale: what the embedding model's cosines mean: a file that `secondhop eval calibrate`
                wrote for this model; default what ships (docs/tuning.md).
            caches: a folder for what can be made anew, embeddings above all; default the entity's.
            decided: names of settings ("ranking.recency") in which `settings` goes before what is
                kept with the entity (`keep_settings`); default those with another value than ships.
            mending: open it also where vectors are missing, to `examine(fix=True)` it.

        Raises:
            EmbedderMismatchError: the store was built with another embedding model.
            SchemaVersionError: the store was written by a newer secondhop.
            CorruptStoreError: the vectors cannot be read, or some are missing; it says what to do.
            PromptError: `prompts` is no folder of prompt files, or one of them is faulty.
        """
        check_id(entity, name="the name of the entity")
        if prompts is not None and not isinstance(prompts, Mapping):
            prompts = load_prompts(Path(prompts))  # checked also where no model reads them
        price_table = load_prices(prices)
        settings = settings or RecallSettings()
        deadline_s = settings.limits.deadline_s
        model = None
        if llm is not None and llm != OFFLINE:
            model = chosen_llm(llm, deadline_s=deadline_s)
        base = await chosen_embedder(embedder)
        own_scale = chosen_scale(scale, model_id=base.model_id)
        home = StoreDirectory(
            Path(path) if path is not None else DEFAULT_STORE, chroma_url=chroma_url
        )
        try:
            store = await open_entity(home, entity, embedder=base, mending=mending)
        except BaseException:
            await home.aclose()
            raise
        folder = home.path / "entities" / entity_slug(entity)
        embedders = cached_embedders(
            base,
            entity_cache=Path(caches or folder) / "embeddings.db",
            owned=[
                part for given, part in ((embedder, base), (llm, model)) if isinstance(given, str)
            ],
        )
        services = assemble(
            store,
            embedders,
            entity=entity,
            settings=settings,
            reranker=reranker,
            llm=model,
            prompts=prompts,
            prices=price_table,
            scale=own_scale,
        )
        services = replace(
            services,
            decided=decided_by_caller(settings, decided),
            session=session_settings or SessionSettings(),
            learning=LearningStore(folder / "learning.db"),
            recorded=CounterStore(folder / "counters.db"),
        )
        recall = cls(
            home,
            store,
            embedders,
            services,
            checkpointer=checkpointer,
            sessions=sessions,
            llm=model,
            prompts=prompts,
            prices=price_table,
        )
        if not mending:
            await recall.memories.forgetter.finish()
        return recall

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        entity: str = "default",
        embedder: "str | Embedder | Embeddings" = "default",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        prompts: PromptSource | None = None,
        chroma_url: str | None = None,
        settings: RecallSettings | None = None,
        reranker: Reranker | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        prices: str | Path | None = None,
        sessions: str | SessionStore | None = None,
        session_settings: SessionSettings | None = None,
        scale: str | Path | ModelScale | None = None,
        caches: str | Path | None = None,
        decided: Collection[str] | None = None,
        mending: bool = False,
    ) -> Self:
        """As `aopen`, for callers without an event loop."""
        door = SyncDoor()
        work = partial(
            cls.aopen,
            path,
            entity=entity,
            embedder=embedder,
            llm=llm,
            prompts=prompts,
            chroma_url=chroma_url,
            settings=settings,
            reranker=reranker,
            checkpointer=checkpointer,
            prices=prices,
            sessions=sessions,
            session_settings=session_settings,
            scale=scale,
            caches=caches,
            decided=decided,
            mending=mending,
        )
        try:
            opened: Self = door.call(work)
        except BaseException:
            door.close()
            raise
        opened._door.adopt(door)
        return opened

    # --- embedding it ---

    @property
    def graph(self) -> "RecallGraph":
        """The compiled graph: a node for a host's own LangGraph (`question` in, `result` out).

        Without a memory stored for the entity the result is empty, where `arecall` raises: a new
        user's chat goes on. The trace stays in the graph's state, so that of a recall which a
        host runs cannot be explained later; one that must be goes through `arecall` or `astream`.
        """
        return self._graphs.kept

    @property
    def store(self) -> EntityStore:
        """The entity's store, for searches of your own."""
        return self._store

    @property
    def embedder(self) -> Embedder:
        """The embedder, with its caches."""
        return self._embedders.entity

    @property
    def services(self) -> Services:
        """Models, store and settings, for a graph of your own over the same memory."""
        return self._services

    @property
    def settings(self) -> RecallSettings:
        """Limits and ranking in force."""
        return self._services.settings

    @property
    def learning(self) -> Learning:
        """What resolved sessions have taught: see it, forget it, switch it off."""
        return self._learning

    def as_retriever(self, *, k: int | None = None, tokens: int | None = None) -> "BaseRetriever":
        """A langchain-core retriever: one document a memory. k, tokens: as of `recall`."""
        from secondhop.langchain_bridge import SecondhopRetriever

        return SecondhopRetriever(recall=self, k=k, tokens=tokens)

    def as_tool(self, *, k: int | None = None, tokens: int | None = None) -> "BaseTool":
        """A langchain-core tool that an agent may call. k, tokens: as of `recall`."""
        from secondhop.langchain_bridge import recall_tool

        return recall_tool(self, k=k, tokens=tokens)

    # --- closing ---

    async def aclose(self) -> None:
        """Close files and connections; what was stored stays."""
        await self.sessions.aclose()
        await self._learning.aclose()
        await self._store.aclose()
        await self._embedders.aclose()
        await self._home.aclose()

    def close(self) -> None:
        """As `aclose`, for callers without an event loop."""
        self._door.call(self.aclose)
        self._door.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
