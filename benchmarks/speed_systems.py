"""The systems whose speed is compared; each is filled in one process and asked in another."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from benchmarks.langchain_systems import telling_terms
from benchmarks.libraries import library
from benchmarks.speed_place import PASSAGES, K, Models, Place, fill_secondhop, store_folder
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.config import Config, RecallLimits
from secondhop.nodes.state import Effort
from secondhop.recall_pool import RecallPool

Ask = Callable[[str, str], Awaitable[int]]
"""(question, entity) → number of memories returned."""
PATIENCE_S = 600.0
"""A deadline so long that it never cuts a measurement short."""
BASELINE = "Chroma, one dense query"


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A row of the table."""

    name: str
    store: str | None
    """The store in `FILLS` that it needs; None: it keeps everything in RAM."""
    opened: Callable[[Place, Models], AbstractAsyncContextManager[Ask]]
    answers: int = 0
    """Answers of the language model that each recall waits for."""
    for_many: bool = True
    """Whether it is compared with many entities, too."""


# --- secondhop ---


@asynccontextmanager
async def secondhop(
    place: Place, models: Models, *, cues: bool, effort: Effort
) -> AsyncGenerator[Ask]:
    """A pool, as in a server; its embedding cache starts empty, so every question is embedded."""
    llm = None
    if effort != "none":
        connection = OpenAIConnection(
            base_url=place.model_url, api_key="none", timeout_s=PATIENCE_S
        )
        llm = OpenAILLM(OpenAILLMConfig(model="scripted", connection=connection))
    async with RecallPool(
        store_folder(place, cues=cues),
        embedder=models.embedder,
        llm=llm,
        config=Config(limits=RecallLimits(deadline_s=PATIENCE_S)),
        caches=place.folder / f"caches {cues} {effort}",
        annotate=False,
    ) as pool:

        async def ask(question: str, entity: str) -> int:
            async with pool.recall(entity) as recall:
                result = await recall.arecall(question, k=K, effort=effort)
            if result.degraded:
                raise SystemExit(f"not what is to be measured: {result.degraded}")
            return len(result.ids())

        yield ask
    if llm is not None:
        await llm.aclose()


@asynccontextmanager
async def briefing(place: Place, models: Models) -> AsyncGenerator[Ask]:
    """A briefing; the question is ignored."""
    async with RecallPool(store_folder(place, cues=True), embedder=models.embedder) as pool:

        async def ask(_: str, entity: str) -> int:
            async with pool.recall(entity) as recall:
                return len((await recall.memories.abriefing()).entries)

        yield ask


# --- Chroma, and LangChain over it ---


def chroma_client(place: Place) -> Any:
    """A client for the folder that Chroma and LangChain share."""
    chromadb = library("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(str(place.folder / "chroma"), settings)


async def fill_chroma(place: Place, models: Models) -> None:
    """One collection of all entities, as langchain-chroma keeps it."""
    collection = chroma_client(place).create_collection(
        "bench", configuration={"hnsw": {"space": "cosine"}}
    )
    for entity, memories in place.contents(models.base):
        passages = [(one, passage) for one in memories for passage in one.passages]
        collection.add(
            ids=[f"{entity}/{passage.passage_id}" for _, passage in passages],
            embeddings=np.concatenate([one.vectors for one in memories]),
            documents=[passage.text for _, passage in passages],
            metadatas=[
                {"entity": entity, "memory_id": one.memory.memory_id} for one, _ in passages
            ],
        )


@asynccontextmanager
async def chroma(place: Place, models: Models) -> AsyncGenerator[Ask]:
    """The baseline: embeds the question, and fetches the nearest passages."""
    collection = chroma_client(place).get_collection("bench")

    async def ask(question: str, entity: str) -> int:
        rows = await models.embedder.embed_queries([question])
        found = await asyncio.to_thread(
            collection.query,
            query_embeddings=rows,
            n_results=PASSAGES,
            where={"entity": entity} if place.entities > 1 else None,
            include=["metadatas", "documents", "distances"],
        )
        return len({one["memory_id"] for one in found["metadatas"][0]})

    yield ask


@asynccontextmanager
async def ensemble(place: Place, models: Models) -> AsyncGenerator[Ask]:
    """EnsembleRetriever over BM25Retriever and langchain-chroma's MMR."""
    store = library("langchain_chroma").Chroma(
        client=chroma_client(place),
        collection_name="bench",
        embedding_function=models.as_langchain,
    )
    shelves: dict[str, list[Document]] = {}
    for entity, memories in place.contents(models.base):
        shelves.setdefault(entity, []).extend(
            Document(page_content=passage.text, metadata={"memory_id": one.memory.memory_id})
            for one in memories
            for passage in one.passages
        )
    made = {entity: ensemble_of(store, entity, shelf) for entity, shelf in shelves.items()}

    async def ask(question: str, entity: str) -> int:
        found = await asyncio.to_thread(made[entity].invoke, question)
        return len({one.metadata["memory_id"] for one in found})

    yield ask


def ensemble_of(store: Any, entity: str, documents: list[Document]) -> Any:
    """The retriever of one entity."""
    by_words = library("langchain_community.retrievers").BM25Retriever.from_documents(
        documents, preprocess_func=telling_terms, k=PASSAGES
    )
    search = {"k": PASSAGES, "fetch_k": 5 * PASSAGES, "filter": {"entity": entity}}
    diverse = store.as_retriever(search_type="mmr", search_kwargs=search)
    return library("langchain_classic.retrievers").EnsembleRetriever(
        retrievers=[diverse, by_words], weights=[0.5, 0.5]
    )


# --- mem0 and LangMem ---


def mem0_memory(place: Place, models: Models) -> Any:
    """mem0 over an embedded Qdrant, without the models it would download (see mem0_system.py).

    Qdrant runs in RAM. With a folder it also keeps everything in RAM, and writes each point to the
    folder in a transaction of its own.
    """
    config = {
        "embedder": {"provider": "langchain", "config": {"model": models.as_langchain}},
        # never called, but mem0 requires one
        "llm": {"provider": "langchain", "config": {"model": FakeListChatModel(responses=[""])}},
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": "bench",
                "embedding_model_dims": models.embedder.dimension,
                "client": library("qdrant_client").QdrantClient(":memory:"),
            },
        },
        "history_db_path": str(place.folder / "mem0 history.db"),
    }
    return library("mem0").Memory.from_config(config)


def fill_mem0(memory: Any, place: Place, models: Models) -> None:
    """Fill mem0 in batches through its vector store, because its `add` stores one text per call."""
    numbers = itertools.count()
    for entity, memories in place.contents(models.base):
        passages = [(one, passage) for one in memories for passage in one.passages]
        payloads = [
            {
                "data": passage.text,
                "user_id": entity,
                "memory_id": one.memory.memory_id,
                "text_lemmatized": passage.text,
                "created_at": one.memory.created_at.isoformat(),
            }
            for one, passage in passages
        ]
        memory.vector_store.insert(
            vectors=np.concatenate([one.vectors for one in memories]).tolist(),
            payloads=payloads,
            ids=list(itertools.islice(numbers, len(payloads))),
        )


@asynccontextmanager
async def mem0(place: Place, models: Models) -> AsyncGenerator[Ask]:
    """mem0's `Memory.search`."""
    memory = await asyncio.to_thread(mem0_memory, place, models)
    await asyncio.to_thread(fill_mem0, memory, place, models)

    async def ask(question: str, entity: str) -> int:
        found = await asyncio.to_thread(
            memory.search, question, top_k=PASSAGES, filters={"user_id": entity}
        )
        return len({one["metadata"]["memory_id"] for one in found["results"]})

    yield ask
    memory.close()


@asynccontextmanager
async def langmem(place: Place, models: Models) -> AsyncGenerator[Ask]:
    """LangMem's search tool over LangGraph's InMemoryStore."""
    known: dict[str, list[float]] = {}

    def embedded(texts: list[str]) -> list[list[float]]:
        return [known[text] for text in texts]

    as_langchain = models.as_langchain
    embed_documents, as_langchain.embed_documents = as_langchain.embed_documents, embedded  # type: ignore[method-assign]
    store = InMemoryStore(
        index={"dims": models.embedder.dimension, "embed": as_langchain, "fields": ["text"]}
    )
    for entity, memories in place.contents(models.base):
        known = {
            passage.text: row
            for one in memories
            for passage, row in zip(one.passages, one.vectors.tolist(), strict=True)
        }
        puts = [
            PutOp(
                ("bench", entity),
                passage.passage_id,
                {"text": passage.text, "memory_id": one.memory.memory_id},
            )
            for one in memories
            for passage in one.passages
        ]
        await asyncio.to_thread(store.batch, puts)
    as_langchain.embed_documents = embed_documents  # type: ignore[method-assign]
    make_tool = partial(
        library("langmem").create_search_memory_tool,
        store=store,
        response_format="content_and_artifact",
    )

    async def ask(question: str, entity: str) -> int:
        tool = make_tool(("bench", entity))
        _, found = await asyncio.to_thread(tool.func, query=question, limit=PASSAGES)
        return len({item.value["memory_id"] for item in found})

    yield ask


FILLS: Mapping[str, Callable[[Place, Models], Awaitable[None]]] = {
    "chroma": fill_chroma,
    "secondhop with cues": partial(fill_secondhop, cues=True),
    "secondhop without cues": partial(fill_secondhop, cues=False),
}

SYSTEMS = (
    System(name=BASELINE, store="chroma", opened=chroma),
    System(
        name="secondhop none, with cues",
        store="secondhop with cues",
        opened=partial(secondhop, cues=True, effort="none"),
    ),
    System(
        name="secondhop none, without cues",
        store="secondhop without cues",
        opened=partial(secondhop, cues=False, effort="none"),
    ),
    System(
        name="secondhop low",
        store="secondhop with cues",
        opened=partial(secondhop, cues=True, effort="low"),
        answers=1,
        for_many=False,
    ),
    System(
        name="secondhop high",
        store="secondhop with cues",
        opened=partial(secondhop, cues=True, effort="high"),
        answers=2,
        for_many=False,
    ),
    System(name="secondhop briefing, no question", store="secondhop with cues", opened=briefing),
    System(name="EnsembleRetriever (BM25, Chroma by MMR)", store="chroma", opened=ensemble),
    System(name="mem0 search", store=None, opened=mem0),
    System(name="LangMem search", store=None, opened=langmem),
)
