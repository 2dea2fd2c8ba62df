"""The memories of many entities in one process; only some of them stay open."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from secondhop.annotate.settings import request_seconds
from secondhop.errors import StoreBusyError, StoreError
from secondhop.given_values import check_counts
from secondhop.models.choose_embedder import make_embedder
from secondhop.models.choose_llm import chosen_llm
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.nodes.config import Config
from secondhop.opening import DEFAULT_STORE, OpenOptions, checked, closing_connections
from secondhop.prompts.templates import PromptSource
from secondhop.recall import Recall
from secondhop.stores.locks import to_its_end
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.store_place import store_gone_error

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from secondhop.memories.delete_entity import DeletedEntity
    from secondhop.stores.postgres.annotation_rows import AnnotationRows


_POLL_S = 30.0
logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True, eq=False)
class _Opened:
    recall: asyncio.Task[Recall]
    users: int = 0


class RecallPool:
    """Opens a `Recall` per entity when it is needed, and closes the least recently used.

    async with RecallPool("store", llm="openai:gpt-4.1-mini") as pool:
        async with pool.recall("ana") as recall:
            result = await recall.arecall("Help me prepare for my interview")

    A server needs one pool per process, in one event loop. All entities share one embedding model,
    one language model, one set of playbooks and one Chroma client.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        max_open: int = 32,
        embedder: "str | Embedder | Embeddings" = "default",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        chroma_url: str | None = None,
        config: Config | None = None,
        checkpointer: "BaseCheckpointSaver[str] | None" = None,
        prompts: PromptSource | None = None,
        **options: Unpack[OpenOptions],
    ) -> None:
        """Opens nothing yet. Arguments not listed here are as in `Recall.aopen`.

        Args:
            max_open: how many entities stay open, at about 3 MB and 12 files each. An entity in
                use is never closed, so more are open if more are used at once.

        Raises:
            TypeError: an argument is unknown.
            UsageError: `max_open` is not a number from 1, or no model has that name.
            PromptError: `prompts` is not a folder of prompt files, or one of them is faulty.
        """
        check_counts(max_open=max_open)
        config, prompts = checked(config, prompts, options, caller="RecallPool")
        config = config or Config()
        self._max_open = max_open
        model = make_embedder(embedder) if isinstance(embedder, str) else embedder
        judge = chosen_llm(llm, deadline_s=request_seconds(config.limits.deadline_s))
        made = ((embedder, model), (llm, judge))
        self._owned: list[object] = [one for given, one in made if given is not one]
        folder = path if path is not None else DEFAULT_STORE
        self._dropped: list[_Opened] = []
        """Deleted while in use; their last users close them."""
        self._sessions = options.get("sessions")
        self._home = StoreDirectory(folder, chroma_url=chroma_url)  # keeps its client open
        self._aopen = partial(
            Recall.aopen,
            folder,
            embedder=model,
            llm=judge,
            chroma_url=chroma_url,
            config=config,
            checkpointer=checkpointer,
            prompts=prompts,
            **options,
        )
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        """Least recently used first."""
        self._closed = False
        self._was_there = self._home.place.is_there()
        waiting = self._home.place.annotating if judge and options.get("annotate", True) else None
        self._waiting: AnnotationRows | None = waiting
        self._annotating: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def recall(self, entity: str) -> AsyncGenerator[Recall, None]:
        """The open `Recall` of an entity for the length of the block; blocks may share it.

        Raises:
            StoreError: the pool was closed.
            StoreUnavailableError: the store's folder is gone.
            SecondhopError: the entity cannot be opened, as in `Recall.aopen`; the next block tries
                again.
        """
        self.expect_store()
        opened = await self._current(entity)
        if self._waiting is not None and self._annotating is None:
            self._annotating = asyncio.create_task(self._annotate_what_is_left())
        try:
            yield opened.recall.result()
        finally:
            # a first memory in this block began the store
            self._was_there = self._was_there or self._home.place.is_there()
            await self._leave(opened)

    def expect_store(self) -> None:
        """Raise if the store was there before and is not any more.

        Raises:
            StoreUnavailableError: its folder was deleted, moved or unmounted.
        """
        is_there = self._home.place.is_there()
        if self._was_there and not is_there:
            raise store_gone_error(self._home.name)
        self._was_there = is_there

    @property
    def entities(self) -> list[str]:
        """The open entities, the least recently used first."""
        return list(self._opened)

    async def annotate_left(self) -> str | None:
        """Annotate one entity of a shared store whose cues another worker left unwritten.

        With a language model, the pool does this by itself every half minute.

        Returns:
            The name of the entity, or None if nothing was left.
        """
        queue = self._waiting
        entity = await asyncio.to_thread(queue.claim_left) if queue is not None else None
        if queue is None or entity is None:
            return None
        done = False
        try:
            async with self.recall(entity) as recall:
                await recall.memories.cues.aannotate()
            done = True
        finally:
            await to_its_end(asyncio.to_thread(partial(queue.release, entity, done=done)))
        return entity

    async def _annotate_what_is_left(self) -> None:
        while not self._closed:
            await asyncio.sleep(_POLL_S)
            try:
                while await self.annotate_left():
                    pass
            except Exception as error:  # a model may raise anything, and nobody awaits this task
                logger.warning("memories wait to be annotated: %s", error)

    async def aclose_entity(self, entity: str) -> None:
        """Close an entity now; does nothing if it is not open.

        Raises:
            StoreBusyError: the entity is in use.
        """
        opened = self._opened.get(entity)
        if opened is not None:
            if opened.users:
                raise StoreBusyError(f"entity {entity!r} is in use; try again when it is not")
            await self._close(entity)

    async def adelete_entity(self, entity: str) -> "DeletedEntity":
        """Delete everything that the store keeps of an entity, as `secondhop.adelete_entity` does.

        A block that uses it may fail; it is unknown there from now on. A later one begins anew.

        Raises:
            UnknownEntityError: the store keeps nothing of it.
            StoreBusyError: somebody else has been writing to it for 30 s; nothing was deleted.
        """
        from secondhop.memories.delete_entity import deleted_from

        self._expect_open()
        if (opened := self._opened.pop(entity, None)) is not None:
            self._dropped.append(opened)
            await self._close_unused(opened)
        return await deleted_from(self._home, entity, sessions=self._sessions)

    async def aclose(self) -> None:
        """Close every entity, even those in use, and the models that the pool made.

        Also in another event loop, when the one in which the pool was used is closed.
        """
        self._closed = True
        if self._annotating is not None and not self._annotating.done():
            self._annotating.cancel()
            await asyncio.gather(self._annotating, return_exceptions=True)
        async with closing_connections(self._owned) as closing:
            closing.push_async_callback(self._home.aclose)
            for opened in (*self._opened.values(), *self._dropped):
                closing.push_async_callback(closed, opened)
            self._opened.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _current(self, entity: str) -> _Opened:
        """Enter an entity, and open it anew if another process has deleted or reindexed it."""
        while True:
            is_open = entity in self._opened
            opened = self._entered(entity)
            try:
                recall = await asyncio.shield(opened.recall)
                if not is_open or not await recall.admin.store.is_outdated():
                    return opened
            except BaseException:
                await self._leave(opened)
                raise
            if self._opened.get(entity) is opened:
                self._dropped.append(self._opened.pop(entity))
            await self._leave(opened)

    async def _leave(self, opened: _Opened) -> None:
        opened.users -= 1
        await self._close_unused(opened)
        await self._close_idle()

    async def _close_unused(self, opened: _Opened) -> None:
        """Close a dropped entity that nobody uses any more."""
        if not opened.users and opened in self._dropped:
            self._dropped.remove(opened)
            await closed(opened)

    def _entered(self, entity: str) -> _Opened:
        self._expect_open()
        opened = self._opened.get(entity)
        if opened is None:
            task = asyncio.ensure_future(self._aopen(entity=entity))
            opened = self._opened[entity] = _Opened(recall=task)
            task.add_done_callback(partial(self._drop_failed, entity))
        opened.users += 1
        self._opened.move_to_end(entity)
        return opened

    def _expect_open(self) -> None:
        if self._closed:
            raise StoreError("the pool was closed; open another one")

    def _drop_failed(self, entity: str, task: asyncio.Task[Recall]) -> None:
        opened = self._opened.get(entity)
        failed = task.cancelled() or task.exception() is not None
        if failed and opened is not None and opened.recall is task:
            del self._opened[entity]

    async def _close_idle(self) -> None:
        """Close the least recently used idle entities until at most `max_open` are open.

        An entity may come into use while another is being closed, so each step looks again for an
        idle one.
        """
        while len(self._opened) > self._max_open:
            idle = (entity for entity, opened in self._opened.items() if not opened.users)
            if (entity := next(idle, None)) is None:
                return
            await self._close(entity)

    async def _close(self, entity: str) -> None:
        opened = self._opened.pop(entity, None)
        if opened is not None:
            await closed(opened)


async def closed(opened: _Opened) -> None:
    """Close what was opened, even if the caller is cancelled."""
    await to_its_end(closed_in_its_turn(opened.recall))


async def closed_in_its_turn(opening: asyncio.Task[Recall]) -> None:
    """Wait for the opening, and close the `Recall` if it succeeded."""
    if not opening.done():  # the event loop of one that is may be closed
        await asyncio.wait([opening])
    if not opening.cancelled() and opening.exception() is None:
        await opening.result().aclose()
