"""Presents what a host's own retriever finds as a store, for one recall."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from secondhop.errors import SecondhopError, StoreError, UsageError
from secondhop.ingest.batches import embedding_text
from secondhop.ingest.chunk import chunk_memory
from secondhop.ingest.cleaning import clean_memory
from secondhop.ingest.dates import parse_date
from secondhop.ingest.jsonl import DATE_FIELDS
from secondhop.ingest.langgraph_items import words_of
from secondhop.models.embedder import Embedder
from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.records import (
    Memory,
    MemoryCard,
    Message,
    Passage,
    PassageHit,
    Topic,
    Vector,
    Vectors,
)
from secondhop.stores.vectors.memory_index import MemoryIndex

if TYPE_CHECKING:
    from langchain_core.documents import Document

Finding: TypeAlias = Callable[[str], Awaitable[Sequence[Memory]]]
"""The memories that a query finds, best first.

Raises:
    Exception: whatever the host's retriever raises.
"""


class RetrievedMemories:
    """The memories of one recall: `MemorySearch`, `MemoryReader` and `Embedder` in one.

    Embedding a query first sends it to the host's retriever. Dense search compares the vectors of
    everything found so far. The retriever's own order stands in for the ranking by words.
    """

    def __init__(self, find: Finding, embedder: Embedder) -> None:
        self._find, self._embedder = find, embedder
        self.model_id = embedder.model_id
        self._asked: dict[str, asyncio.Task[list[str]]] = {}
        """{query: memories that the retriever found, best first}."""
        self._first: dict[str, str] = {}
        """{id as the retriever gives it: the first text found under that id}."""
        self._memories: dict[str, Memory] = {}
        self._passages: dict[str, Passage] = {}
        self._of_memory: dict[str, list[str]] = {}
        self._index = MemoryIndex()

    # --- Embedder ---

    @property
    def dimension(self) -> int:
        """See `Embedder`."""
        return self._embedder.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return await self._embedder.embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Ask the retriever for each query, then embed them. Raises StoreError if the retriever
        failed."""
        await asyncio.gather(*map(self._found, texts))
        return await self._embedder.embed_queries(texts)

    # --- MemorySearch ---

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        """See `MemorySearch`; searches the memories found so far."""
        rankings = await self._index.nearest(queries, k=k)
        return [
            [PassageHit(one, self._passages[one].memory_id, score) for one, score in ranking]
            for ranking in rankings
        ]

    async def lexical(
        self, queries: Sequence[str], *, k: int, memory_ids: Sequence[str] | None = None
    ) -> list[list[PassageHit]]:
        """For each query, what the retriever found, in its order.

        A hit's score is the share of the query's words that the passage holds.
        """
        del memory_ids  # a retriever has no filter
        found = await asyncio.gather(*map(self._found, queries))
        return [
            self._hits(query, memory_ids)[:k]
            for query, memory_ids in zip(queries, found, strict=True)
        ]

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """See `MemorySearch`."""
        return await self._index.fetch(passage_ids)

    # --- MemoryReader ---

    async def cards(self, memory_ids: Sequence[str]) -> dict[str, MemoryCard]:
        """See `MemoryReader`."""
        known = [self._memories[one] for one in memory_ids if one in self._memories]
        return {
            one.memory_id: MemoryCard(
                memory_id=one.memory_id,
                title=one.title,
                source=one.source,
                created_at=one.created_at,
                passage_count=len(self._of_memory[one.memory_id]),
            )
            for one in known
        }

    async def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """See `MemoryReader`."""
        return {one: self._passages[one] for one in passage_ids if one in self._passages}

    async def passage_ids(self, memory_ids: Sequence[str]) -> dict[str, list[str]]:
        """See `MemoryReader`."""
        return {one: self._of_memory[one] for one in memory_ids if one in self._of_memory}

    async def memory(self, memory_id: str) -> Memory | None:
        """See `MemoryReader`."""
        return self._memories.get(memory_id)

    async def topics(self) -> Sequence[Topic]:
        """Empty, because it is not known what else the host has."""
        return []

    # --- asking the retriever ---

    async def _found(self, query: str) -> list[str]:
        """Ids of the memories found for a query; the retriever is asked once per query."""
        if query not in self._asked:
            self._asked[query] = asyncio.ensure_future(self._look(query))
        return await asyncio.shield(self._asked[query])

    async def _look(self, query: str) -> list[str]:
        try:
            found = [self._apart(clean_memory(one)) for one in await self._find(query)]
        except SecondhopError:
            raise
        except Exception as error:  # a foreign class may raise anything; name it in our own error
            raise StoreError(f"the retriever failed: {type(error).__name__}: {error}") from error
        found = list({one.memory_id: one for one in found if one.messages}.values())
        await self._take_in([one for one in found if one.memory_id not in self._memories])
        return [one.memory_id for one in found]

    def _apart(self, memory: Memory) -> Memory:
        """The memory, with an id of its own if another text has its id (parts of a file may)."""
        first = self._first.setdefault(memory.memory_id, memory.text)
        if memory.text == first:
            return memory
        return replace(memory, memory_id=f"{memory.memory_id}#{digest_of(memory.text)[:8]}")

    async def _take_in(self, memories: Sequence[Memory]) -> None:
        chunked = [(memory, passage) for memory in memories for passage in chunk_memory(memory)]
        if not chunked:
            return
        rows = await self._embedder.embed_passages([embedding_text(*one) for one in chunked])
        await self._index.upsert([passage.passage_id for _, passage in chunked], rows)
        for memory in memories:
            self._memories[memory.memory_id], self._of_memory[memory.memory_id] = memory, []
        for memory, passage in chunked:
            if passage.passage_id not in self._passages:  # two queries may find it at once
                self._passages[passage.passage_id] = passage
            if passage.passage_id not in self._of_memory[memory.memory_id]:
                self._of_memory[memory.memory_id].append(passage.passage_id)

    def _hits(self, query: str, memory_ids: Sequence[str]) -> list[PassageHit]:
        asked = set(query_terms(query).words)
        hits: list[PassageHit] = []
        for memory_id in memory_ids:
            own = [
                PassageHit(one, memory_id, self._words_held(one, asked))
                for one in self._of_memory[memory_id]
            ]
            hits += sorted(own, key=lambda hit: (-hit.score, hit.passage_id))
        return hits

    def _words_held(self, passage_id: str, asked: set[str]) -> float:
        held = asked.intersection(document_terms(self._passages[passage_id].text))
        return round(len(held) / len(asked), 6) if asked else 0.0


def own_embedder(retriever: object) -> Embedder | None:
    """The embeddings of a vector store; None if it has none.

    If they do not say which model they are, their class name serves as the model id. That is safe,
    because no vector is kept after `close`.
    """
    own = getattr(retriever, "embeddings", None)
    if own is None:
        return None
    from secondhop.models.langchain_embedder import LangchainEmbedder

    try:
        return LangchainEmbedder(own)
    except UsageError:
        return LangchainEmbedder(own, model_id=f"langchain:{type(own).__name__}")


def finding(retriever: object, *, namespace: tuple[str, ...], depth: int) -> Finding:
    """The function that queries a LangChain retriever or vector store, or a LangGraph store.

    Args:
        namespace: the part of a LangGraph store to search.
        depth: memories per query; a retriever decides this itself.

    Raises:
        UsageError: `retriever` is none of these.
    """
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore
    from langgraph.store.base import BaseStore

    async def found(query: str) -> list[Memory]:
        if isinstance(retriever, BaseStore):
            items = await retriever.asearch(namespace, query=query, limit=depth)
            return [memory_of_item(one) for one in items]
        if isinstance(retriever, VectorStore):
            documents = await retriever.asimilarity_search(query, k=depth)
        else:
            documents = await cast(BaseRetriever, retriever).ainvoke(query)
        return [memory_of_document(one) for one in documents]

    if isinstance(retriever, BaseRetriever | VectorStore | BaseStore):
        return found
    raise UsageError(
        f"a recall needs a LangChain retriever or vector store, or a LangGraph store, "
        f"not {type(retriever).__name__}"
    )


def memory_of_document(document: "Document") -> Memory:
    """A LangChain document as a memory; without an id, a hash of its text is the id."""
    told: Mapping[str, Any] = document.metadata
    text = document.page_content
    dates = (parse_date(told.get(name)) for name in DATE_FIELDS)
    return Memory(
        memory_id=str(document.id or told.get("id") or f"doc-{digest_of(text)}"),
        title=str(told.get("title") or told.get("source") or ""),
        source="document",
        created_at=next((date for date in dates if date), datetime.now(UTC)),
        messages=(Message("user", text),),
    )


def digest_of(text: str) -> str:
    """The first 20 hex digits of the text's SHA-256."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def memory_of_item(item: Any) -> Memory:
    """An item of a LangGraph store as a memory; its text is all texts of the value."""
    return Memory(
        memory_id="/".join([*item.namespace, item.key]),
        title="",
        source="item",
        created_at=item.created_at,
        messages=(Message("user", words_of(item.value)),),
    )
