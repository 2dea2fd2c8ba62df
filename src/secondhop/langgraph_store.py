"""A LangGraph store whose searches are recalls."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import aclosing, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from secondhop.errors import UnknownEntityError, UsageError
from secondhop.ingest.langgraph_items import NOT_INDEXED
from secondhop.nodes.state import Effort
from secondhop.opening import DEFAULT_STORE
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.stored_items import check_key, fits, found_item, item_of, listed, memory_of
from secondhop.stores.records import Memory
from secondhop.stores.store_address import is_address
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.where import Where
from secondhop.sync import BackgroundLoop


class RecallStore(BaseStore):
    """A `BaseStore` in a secondhop store: each namespace is an entity, each item a memory.

    `("memories", "ana")` is the entity "memories.ana". A search is a recall in that entity; one
    that names a common prefix searches all namespaces below it. It also finds memories that were
    stored for the entity in other ways, as items with `content`.

    store = RecallStore("store", llm="openai:gpt-4.1-mini")
    agent = create_agent(model, tools, store=store)

    Works from any thread and event loop. Close it, or use it as a context manager.
    """

    def __init__(
        self, path: str | Path | None = None, *, effort: Effort | None = None, **options: Any
    ) -> None:
        """Opens nothing yet.

        Args:
            path: the store's folder, or postgresql://…; default `./.secondhop`.
            effort: how much a search asks a language model; default as in `Recall.arecall`.
            options: as for `RecallPool`: embedder, llm, config, max_open, …
        """
        self._path = path if path is not None else DEFAULT_STORE
        self._chroma_url: str | None = options.get("chroma_url")
        self._effort: Effort | None = effort
        self._pool = RecallPool(self._path, **options)
        self._loop = BackgroundLoop()
        self._known: dict[str, tuple[str, ...]] = {}
        """{name of a catalog's file: its namespace}, so that no search opens those of others."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """See `BaseStore.batch`; all reads happen before the puts of the same batch."""
        return self._loop.run(partial(self._done, list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Async form of `batch`."""
        return await asyncio.to_thread(self.batch, ops)

    def close(self) -> None:
        """Close files and connections; what was stored stays."""
        self._loop.run(self._pool.aclose)
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _done(self, ops: list[Op]) -> list[Result]:
        for op in ops:
            validate_op_namespace(op)
        results = [await self._read(op) for op in ops]
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        for namespace in dict.fromkeys(namespace for namespace, _ in puts):
            own = [op for op in puts.values() if op.namespace == namespace]
            async with self._pool.recall(entity_of(namespace)) as recall:
                await put_all(own, recall)
        return results

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                async with self._pool.recall(entity_of(op.namespace)) as recall:
                    memory = await recall.admin.store.memory(op.key)
                return item_of(memory, op.namespace) if memory is not None else None
            case SearchOp():
                return await self._searched(op)
            case ListNamespacesOp():
                return listed(await self._namespaces(), op)
            case PutOp():
                return None
            case _:
                raise UsageError(f"unknown store operation {op!r:.60}")

    async def _searched(self, op: SearchOp) -> list[SearchItem]:
        """With a query, the best of each namespace, then all second-best, …; else newest first."""
        prefix, wanted = tuple(op.namespace_prefix), max(op.offset + op.limit, 0)
        rankings: list[list[SearchItem]] = []
        for namespace in await self._namespaces(prefix):
            async with self._pool.recall(entity_of(namespace)) as recall:
                if op.query:
                    rankings.append(await self._recalled(op, namespace, recall, k=wanted))
                else:
                    items = await fitting(op, namespace, recall)
                    rankings.append([found_item(one, score=None) for one in items])
        ranked = [(rank, item) for ranking in rankings for rank, item in enumerate(ranking)]
        if op.query:
            ranked.sort(key=lambda one: (one[0], -(one[1].score or 0.0)))
        else:
            ranked.sort(key=lambda one: one[1].updated_at, reverse=True)
        return [item for _, item in ranked[op.offset : wanted]]

    async def _recalled(
        self, op: SearchOp, namespace: tuple[str, ...], recall: Recall, *, k: int
    ) -> list[SearchItem]:
        """The memories of a recall, then its near misses, as items."""
        if k < 1:
            return []
        where: Where | None = None
        indexed = Where(sources=[NOT_INDEXED])
        if op.filter or any(
            ((await recall.admin.store.standing(where=indexed)).admitted or {}).values()
        ):
            ids = [one.key for one in await fitting(op, namespace, recall, indexed=True)]
            if not ids:
                return []
            where = Where(ids=ids)
        try:
            result = await recall.arecall(op.query or "", k=k, where=where, effort=self._effort)
        except UnknownEntityError:
            return []
        scores = {one.id: one.score for one in [*result.memories, *result.maybe]}
        items: list[SearchItem] = []
        for memory_id, score in list(scores.items())[:k]:
            memory = await recall.admin.store.memory(memory_id)
            if memory is not None:
                items.append(found_item(item_of(memory, namespace), score=score))
        return items

    async def _namespaces(self, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        """The namespaces below a prefix whose entities hold a memory; opens no entity."""
        async with aclosing(StoreDirectory(self._path, chroma_url=self._chroma_url)) as home:
            return await asyncio.to_thread(lambda: sorted(self._filled(home, prefix)))

    def _filled(self, home: StoreDirectory, prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for catalog in home.place.catalogs():
            name = catalog.database.name
            if self._known.get(name, prefix)[: len(prefix)] != prefix:
                continue
            with closing(catalog):
                if catalog.exists():
                    namespace = tuple(catalog.identity().entity.split("."))
                    if not is_address(self._path):  # all catalogs of a database have its name
                        self._known[name] = namespace
                    if namespace[: len(prefix)] == prefix and not catalog.is_empty():
                        yield namespace


def entity_of(namespace: tuple[str, ...]) -> str:
    """The entity that keeps a namespace. Labels hold no periods, so each has its own entity."""
    return ".".join(namespace)


async def put_all(puts: Iterable[PutOp], recall: Recall) -> None:
    """Store, replace or delete items of one namespace; no key may occur twice."""
    wanted: list[Memory] = []
    gone: list[str] = []
    for put in puts:
        if put.value is not None:
            check_key(put.key)
        known = await recall.admin.store.memory(put.key)
        if put.value is not None:
            wanted.append(memory_of(put, at=datetime.now(UTC), known=known))
        elif known is not None:
            gone.append(put.key)
    if wanted:
        await recall.aadd(wanted)
    if gone:
        await recall.memories.aforget(*gone)


async def fitting(
    op: SearchOp, namespace: tuple[str, ...], recall: Recall, *, indexed: bool = False
) -> list[Item]:
    """The items that a search's filter admits; with `indexed`, only those that queries may find."""
    items: list[Item] = []
    async for page in recall.admin.store.pages():
        for memory, _ in page:
            item = item_of(memory, namespace)
            hidden = indexed and memory.source == NOT_INDEXED
            if not hidden and fits(item.value, op.filter or {}):
                items.append(item)
    return items
