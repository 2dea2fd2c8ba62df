"""`Recall`: the memory of one entity, ready to be asked."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from secondhop.askable import Askable
from secondhop.errors import UsageError
from secondhop.given_values import check_counts, given_paths, tags_given
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.nodes.config import Config
from secondhop.opening import OpenOptions, Parts, open_parts
from secondhop.prompts.templates import PromptSource
from secondhop.running import Answering
from secondhop.stores.records import Memory
from secondhop.sync import BackgroundLoop, blocking
from secondhop.traces import TraceFolder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from secondhop.annotate.service import Annotating, BackgroundAnnotating
    from secondhop.graph.builder import RecallGraph
    from secondhop.graph.explanation import Explanation
    from secondhop.ingest.ledger import IngestLedger
    from secondhop.ingest.run import IngestProgress
    from secondhop.learning.service import Learning
    from secondhop.memories.cues import Cues
    from secondhop.memories.maintenance import Maintenance
    from secondhop.memories.service import MemoryService
    from secondhop.memories.writing import MemoryWriting
    from secondhop.observe.service import ConversationReading
    from secondhop.retriever_recall import RetrieverRecall
    from secondhop.sessions.service import Sessions


class Recall(Askable):
    """The memory of one entity: open it, fill it, ask it.

    Open it with `Recall.open(...)`, or `await Recall.aopen(...)` inside an event loop. Close it,
    or use it as a (sync or async) context manager. Every method that waits has an async form
    whose name begins with "a". Concurrent recalls may share one object.
    """

    def __init__(
        self, parts: object, *, checkpointer: "BaseCheckpointSaver[str] | None" = None
    ) -> None:
        """Use `open`; this constructor takes the `Parts` that it makes."""
        if not isinstance(parts, Parts):
            raise UsageError(
                "a Recall is opened, not constructed: use Recall.open(…), or await Recall.aopen(…) "
                "inside an event loop"
            )
        services = parts.services
        traces = TraceFolder(
            parts.home.place.traces(services.entity),
            entity=services.entity,
            settings=services.settings.traces,
            stored=parts.store.stored,
        )
        self._parts = parts
        self._answering = Answering(
            parts.store,
            services,
            checkpointer=checkpointer,
            traces=traces,
            name=parts.home.name,
        )
        super().__init__(traces, BackgroundLoop(), run=self._answering.stream)
        if parts.llm is not None and parts.annotate.by_itself:
            parts.store.after_put = self._wrote

    # --- the services; a recall needs few of them, so each is imported and made at first use ---

    @cached_property
    def memories(self) -> "MemoryService":
        """Remember, correct, list and forget memories, edit cues, observe chats, give briefings."""
        from secondhop.memories.service import MemoryService

        return MemoryService(
            self._writing,
            traces=self._traces,
            reading=self._reading,
            cues=self._cues,
            briefing=self._parts.services.settings.briefing,
            loop=self._loop,
        )

    @cached_property
    def sessions(self) -> "Sessions":
        """Recalls that stay open for votes."""
        from secondhop.sessions.rounds import SessionRounds
        from secondhop.sessions.service import Sessions

        services = self._parts.services
        return Sessions(
            SessionRounds(services, traces=self._traces),
            self._parts.sessions,
            entity=services.entity,
            ready=self._answering.ready,
            learn=self.learning.alearn,
            loop=self._loop,
        )

    @cached_property
    def learning(self) -> "Learning":
        """See or forget what resolved sessions taught, or switch learning off."""
        from secondhop.learning.service import Learning

        parts = self._parts
        return Learning(parts.store, parts.services, counters=parts.counters, loop=self._loop)

    @cached_property
    def admin(self) -> "Maintenance":
        """Maintain the whole entity: doctor, export, import, copy, the last traces, `warm`."""
        from secondhop.memories.maintenance import Maintenance

        parts = self._parts
        return Maintenance(
            self._writing,
            home=parts.home,
            services=parts.services,
            traces=self._traces,
            warm=parts.services.playbooks.warm,
            loop=self._loop,
        )

    @cached_property
    def _writing(self) -> "MemoryWriting":
        from secondhop.memories.writing import MemoryWriting

        parts = self._parts
        return MemoryWriting(
            store=parts.store,
            embedder=parts.embedders.entity,
            counters=parts.counters,
            forgetting=[self.sessions],
            clock=parts.services.clock,
        )

    def _cues(self) -> "Cues":
        from secondhop.memories.cues import Cues

        return Cues(self._writing, self._annotating, loop=self._loop)

    def _reading(self) -> "ConversationReading":
        from secondhop.observe.service import ConversationReading

        parts = self._parts
        return ConversationReading(
            writing=self._writing,
            llm=parts.llm,
            prompts=parts.prompts,
            prices=parts.prices,
            limits=parts.services.settings.limits,
        )

    @cached_property
    def _annotating(self) -> "Annotating":
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
    def _background(self) -> "BackgroundAnnotating":
        """Annotates after writes."""
        from secondhop.annotate.service import BackgroundAnnotating

        return BackgroundAnnotating(self._annotating)

    def _wrote(self) -> None:
        self._background.wrote()

    # --- opening and closing ---

    @classmethod
    async def aopen(
        cls,
        path: str | Path | None = None,
        *,
        entity: str = "default",
        embedder: "str | Embedder | Embeddings" = "default",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        chroma_url: str | None = None,
        config: Config | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        prompts: PromptSource | None = None,
        **options: Unpack[OpenOptions],
    ) -> Self:
        """Open the memory of `entity` in the store at `path`; nothing is created before a write.

        Args:
            path: the store's folder; default `./.secondhop`.
            entity: whose memory it is; nothing crosses from one entity to another.
            embedder: "default", "hashing", "openai:MODEL", an `Embedder`, or any langchain-core
                `Embeddings`.
            llm: the model that plans and votes: "openai:MODEL" (on any server that speaks the
                protocol), a langchain-core chat model, or None (or "offline") for no model.
            chroma_url: keep the vectors on a Chroma server instead of in the folder.
            config: limits and ranking; the defaults suit most memories.
            checkpointer: a LangGraph checkpointer, so that a recall with a thread id can resume.
            prompts: a folder whose files replace the built-in prompts (docs/prompts.md), or all
                prompts by name. They are checked even without a model.
            options: rarely needed; see `OpenOptions`.

        Raises:
            EmbedderMismatchError: the store was built with another embedding model.
            SchemaVersionError: the store was written by a newer secondhop.
            CorruptStoreError: the vectors cannot be read, or some are missing; the message says
                what to do.
            PromptError: `prompts` is not a folder of prompt files, or one of them is faulty.
        """
        parts = await open_parts(
            path,
            entity=entity,
            embedder=embedder,
            llm=llm,
            chroma_url=chroma_url,
            config=config,
            prompts=prompts,
            options=options,
        )
        recall = cls(parts, checkpointer=checkpointer)
        try:
            if not options.get("mending") and await parts.store.erasure.unfinished() is not None:
                await recall.memories.forgetter.finish()
        except BaseException:
            await recall.aclose()
            raise
        return recall

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        entity: str = "default",
        embedder: "str | Embedder | Embeddings" = "default",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        chroma_url: str | None = None,
        config: Config | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        prompts: PromptSource | None = None,
        **options: Unpack[OpenOptions],
    ) -> Self:
        """As `aopen`, for callers without an event loop."""
        loop = BackgroundLoop()
        work = partial(
            cls.aopen,
            path,
            entity=entity,
            embedder=embedder,
            llm=llm,
            chroma_url=chroma_url,
            config=config,
            checkpointer=checkpointer,
            prompts=prompts,
            **options,
        )
        try:
            opened: Self = loop.run(work)
        except BaseException:
            loop.close()
            raise
        opened._loop.adopt(loop)
        return opened

    @staticmethod
    def over(
        retriever: "BaseRetriever | VectorStore | BaseStore",
        *,
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        embedder: "str | Embedder | Embeddings | None" = None,
        namespace: tuple[str, ...] = (),
        depth: int = 50,
        config: Config | None = None,
        prompts: PromptSource | None = None,
    ) -> "RetrieverRecall":
        """Recall over a LangChain retriever or vector store, or a LangGraph store; no data moves.

        It only reads. Cues, facts, filters and forgetting need memories stored by secondhop.

        Args:
            llm: the model that plans and votes; without one, the retriever gets a single query.
            embedder: compares what was found; default the vector store's own, else "default".
            namespace: the part of a LangGraph store to search.
            depth: documents per query; a plain retriever decides this itself.

        Raises:
            UsageError: `retriever` is none of these.
        """
        from secondhop.retrieved import finding, own_embedder
        from secondhop.retriever_recall import RetrieverRecall

        check_counts(depth=depth)
        return RetrieverRecall(
            finding(retriever, namespace=namespace, depth=depth),
            embedder=embedder or own_embedder(retriever) or "default",
            llm=llm,
            config=config,
            prompts=prompts,
        )

    async def aclose(self) -> None:
        """Close files and connections; what was stored stays."""
        parts = self._parts
        async with AsyncExitStack() as closing:  # it closes the others even if one fails
            for one in (parts.home, parts.embedders, parts.store, parts.sessions):
                closing.push_async_callback(one.aclose)
            closing.push_async_callback(asyncio.to_thread, self._traces.finish)
            if "_background" in vars(self):
                closing.push_async_callback(self._background.aclose)

    # --- asking ---

    async def _explained(
        self, trace: str | Path | RecallTrace | RecallResult, memory_id: str
    ) -> "Explanation":
        from secondhop.explaining import explained

        return await explained(
            trace,
            memory_id,
            traces=self._traces,
            store=self._parts.store,
            services=self._parts.services,
        )

    # --- storing ---

    async def aadd(
        self, memories: Iterable[Memory], *, progress: "IngestProgress | None" = None
    ) -> "IngestLedger":
        """Store memories that you built yourself; see `MemoryService.add`."""
        return await self.memories.aadd(memories, progress=progress)

    add = blocking(aadd)

    async def aingest(
        self,
        *paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        format: str | None = None,
        tags: Sequence[str] = (),
        progress: "IngestProgress | None" = None,
        dry_run: bool = False,
        annotate: bool | None = None,
    ) -> "IngestLedger":
        """Store the content of files and folders; unchanged memories cost nothing, missing ones are
        deleted.

        A deleted memory also loses its counters and cues. When a file changes, the earlier text is
        kept, unless the new text begins with it; see `memories.history`.

        Args:
            paths: as single arguments or as a list.
            tags: added to every memory that is read, for filters
                (`recall(…, where=Where(tags=…))`).
            dry_run: only report what would be stored and deleted (`IngestLedger.plan`); nothing is
                embedded or written.
            annotate: let the model write cues for stored memories (`memories.cues.annotate`);
                default True if there is a model. Memories for which this fails wait for another
                try, and the ledger's `annotation` says why.

        Raises:
            UsageError: an argument is not a path, or `annotate` is True without a language model.
            IngestError: a path does not exist, or nothing in it could be stored.
            StoreFullError: no space is left; a new store is not created then.
        """
        from secondhop.ingest.pipeline import ingest

        parts, annotating = self._parts, self._annotating
        sources = given_paths(paths)
        if annotate:
            annotating.expect_model()
        ledger = await ingest(
            sources,
            writer=parts.store,
            embedder=parts.embedders.entity,
            format=format,
            tags=tags_given(tags),
            progress=progress,
            dry_run=dry_run,
            leaving=self._writing.unlearn,
        )
        if dry_run or not (annotate or (annotate is None and parts.llm is not None)):
            return ledger
        return replace(ledger, annotation=await annotating.run(progress=progress))

    ingest = blocking(aingest)

    # --- building it in ---

    @property
    def graph(self) -> "RecallGraph":
        """The compiled graph: a node for a host's own LangGraph (`question` in, `result` out).

        If no memory is stored for the entity, `arecall` raises, but the graph gives an empty
        result, so that a new user's chat goes on. It writes no checkpoints into the host's
        checkpointer; it uses the one given to `open`, if any. The trace stays in the graph's
        state, so a recall in a host's graph cannot be explained later. To explain it later, use
        `arecall` or `astream`.
        """
        return self._answering.graph

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Old names, which still work; see `secondhop.deprecated`."""
            from secondhop.deprecated import moved

            return moved(self, name)
