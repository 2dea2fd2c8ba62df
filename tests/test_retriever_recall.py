"""Recall over retrievers, vector stores and LangGraph stores that a host already has."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.store.memory import InMemoryStore
from tests.fakes import WrittenPlanner, facet
from tests.models.fault_server import FaultServer, running
from tests.small_world import LIFE, QUESTION

from secondhop import Recall, StoreError, UsageError
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.config import Config, RecallLimits
from secondhop.retriever_recall import RetrieverRecall

pytestmark = pytest.mark.usefixtures("library_of_tests")

DOCUMENTS = [
    Document(
        id=one.memory_id,
        page_content=one.text,
        metadata={"title": one.title, "created_at": one.created_at.isoformat()},
    )
    for one in LIFE
]


class Words(BaseRetriever):
    """Finds documents that share a long word with the query; records what it was asked."""

    documents: list[Document]
    asked: list[str]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        self.asked.append(query)
        if query == "break":
            raise ConnectionError("the index is away")
        words = {word for word in query.lower().split() if len(word) > 5}
        return [one for one in self.documents if words & set(one.page_content.lower().split())]


class Hashing(Embeddings):
    """The hashing embedder as an embedding model of the host."""

    model = "hashing"

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = (await HashingEmbedder().embed_passages(texts)).tolist()
        return rows

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("a recall is async")

    def embed_query(self, text: str) -> list[float]:
        raise AssertionError("a recall is async")


@pytest.fixture
def words() -> Words:
    return Words(documents=DOCUMENTS, asked=[])


@pytest.fixture
def vectors() -> InMemoryVectorStore:
    store = InMemoryVectorStore(Hashing())
    asyncio.run(store.aadd_documents(DOCUMENTS))
    return store


@pytest.fixture
def over(words: Words) -> Iterator[RetrieverRecall]:
    with Recall.over(words, embedder="hashing") as recall:
        yield recall


def test_the_plan_s_queries_find_what_the_question_does_not_name(words: Words) -> None:
    with Recall.over(words, embedder="hashing") as recall:
        alone = recall.recall(QUESTION, k=8)
        facets = (facet("achievements", "achievements with numbers"), facet("habits", "nervous"))
        recall.planner = WrittenPlanner({QUESTION: facets}, planner_id="written")
        planned = recall.recall(QUESTION, k=8)

    assert "wins" not in alone.ids()
    assert "wins" in planned.ids()
    assert {QUESTION, "achievements with numbers", "nervous"} <= set(words.asked)


def test_a_recall_has_evidence_dates_a_trace_and_reasons(vectors: InMemoryVectorStore) -> None:
    with Recall.over(vectors) as over:
        has_evidence_dates_a_trace_and_reasons(over)


def has_evidence_dates_a_trace_and_reasons(over: RetrieverRecall) -> None:
    result = over.recall(QUESTION, k=2)

    assert len(result.memories) == 2
    first = result.memories[0]
    original = {one.memory_id: one for one in LIFE}[first.id]
    assert first.evidence[0].text in original.text
    assert (first.title, first.created_at) == (original.title, original.created_at)
    trace = over.trace(result.trace_id)
    assert trace.returned == result.ids()
    assert over.explain(result, first.id).returned
    dropped = next(one.memory_id for one in trace.candidates if one.slot is None)
    assert over.explain(result, dropped).nearest_change


async def test_a_vector_store_is_searched_with_its_own_embeddings(
    vectors: InMemoryVectorStore,
) -> None:
    async with Recall.over(vectors, depth=3) as recall:
        result = await recall.arecall(QUESTION, k=8)
        trace = recall.trace(result.trace_id)

    assert 1 <= len(trace.candidates) <= 3
    assert "hashing" in trace.embedder


async def test_a_langgraph_store_is_searched_below_a_namespace() -> None:
    store = InMemoryStore()
    for one in LIFE:
        store.put(("memories", "ana"), one.memory_id, {"content": one.text})
    store.put(("memories", "noor"), "hers", {"content": QUESTION})
    async with Recall.over(store, namespace=("memories", "ana"), embedder="hashing") as recall:
        result = await recall.arecall(QUESTION)

    assert result.memories
    assert all(one.startswith("memories/ana/") for one in result.ids())


async def test_agents_and_chains_use_it_as_any_recall(words: Words) -> None:
    async with Recall.over(words, embedder="hashing") as recall:
        found = await recall.as_retriever(k=2).ainvoke(QUESTION)
        told = await recall.as_tool(k=2).ainvoke({"question": QUESTION})

    assert len(found) == 2
    assert found[0].page_content[:20] in told


def test_a_filter_is_refused(over: RetrieverRecall) -> None:
    options: dict[str, Any] = {"where": {"tags": ["a"]}}
    with pytest.raises(UsageError, match="where"):
        over.recall(QUESTION, **options)


def test_what_it_does_not_have_is_said_with_what_has_it(over: RetrieverRecall) -> None:
    with pytest.raises(AttributeError, match=r"has no 'memories'; .* comes with Recall\.open"):
        getattr(over, "memories")  # noqa: B009 - type checkers refuse over.memories
    assert not hasattr(over, "sessions")


def test_a_retriever_that_fails_is_named_in_the_answer(over: RetrieverRecall) -> None:
    result = over.recall("break")

    assert result.memories == []
    assert "the index is away" in " ".join(result.degraded)


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(UsageError, match="retriever"):
        Recall.over(object())  # type: ignore[arg-type]


def test_parts_that_share_an_id_are_all_found() -> None:
    parts = [
        Document(page_content=text, metadata={"id": "file"})
        for text in ("Mara is allergic to another nut.", "The cellar lamp needs another bulb.")
    ]
    whole = Words(documents=parts, asked=[])

    with Recall.over(whole, embedder="hashing") as recall:
        found = recall.recall("Is Mara allergic to another nut in the cellar lamp?")

    texts = {one.evidence[0].text for one in (*found.memories, *found.maybe)}
    assert texts == {one.page_content for one in parts}


async def test_nothing_is_kept_after_the_end(words: Words) -> None:
    recall = Recall.over(words, embedder="hashing")
    await recall.arecall(QUESTION)
    folder = Path(vars(recall)["_folder"].name)
    assert await asyncio.to_thread(folder.exists)
    late = recall.astream(QUESTION)
    await anext(late)

    await recall.aclose()

    assert [event.result async for event in late][-1] is not None
    with pytest.raises(StoreError, match="closed"):
        await recall.arecall(QUESTION)
    assert not await asyncio.to_thread(folder.exists)


async def test_the_model_that_a_name_stands_for_waits_as_long_as_a_recall_may_take_and_is_closed(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(FaultServer()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        limits = RecallLimits(deadline_s=300)
        config, llm = Config(limits=limits), f"openai:{server.model}"
        async with Recall.over(words, embedder="hashing", llm=llm, config=config) as recall:
            await recall.arecall(QUESTION)
            assert "x-stainless-read-timeout: 300" in server.heads[0].lower()
            assert server.connections
        await server.until_nobody_is_connected()


def test_what_is_no_config_is_refused(words: Words) -> None:
    with pytest.raises(UsageError, match="config must be a secondhop Config"):
        Recall.over(words, embedder="hashing", config={})  # type: ignore[arg-type]
