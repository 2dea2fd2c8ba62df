"""`Recall` itself, with a real store in a folder and the hashing embedder."""

import asyncio
import json
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import note
from tests.models.fault_server import FaultServer, body, running
from tests.small_world import LIFE, QUESTION, recall_settings
from tests.store_files import stores_below

from secondhop.errors import (
    EmbedderMismatchError,
    StoreUnavailableError,
    UnknownEntityError,
    UsageError,
)
from secondhop.memories.records import Fact
from secondhop.models.hashing import HashingEmbedder
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.reasons import WEAK
from secondhop.nodes.recall_input import QUESTION_CHARS
from secondhop.recall import Recall
from secondhop.stores.in_a_thread import in_a_thread
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.store_directory import StoreDirectory

AT = datetime(2026, 3, 1, tzinfo=UTC)

pytestmark = pytest.mark.usefixtures("library_of_tests")


async def test_a_recall_brings_what_the_question_does_not_name(recall: Recall) -> None:
    result = await recall.arecall(QUESTION, k=4, at=AT)

    assert {"plan", "wins", "coaching"} <= set(result.ids())
    assert len({"research-1", "research-2"} & set(result.ids())) == 1
    assert result.asked_at == AT
    assert result.degraded == []
    by_id = {memory.id: memory for memory in result.memories}
    assert by_id["plan"].hop == 2
    assert by_id["plan"].facets[0] == "own plan"
    assert "what such questions usually need" in by_id["plan"].why
    assert all(memory.evidence[0].text for memory in result.memories)


async def test_k_memories_come_back_and_the_next_ones_are_near_misses(recall: Recall) -> None:
    result = await recall.arecall(QUESTION, k=2)

    assert len(result.memories) == 2
    assert result.maybe
    assert not set(result.ids()) & {miss.id for miss in result.maybe}
    assert all(miss.cut_by for miss in result.maybe)
    kept = recall.trace(result.trace_id).near_misses
    told = [(one.memory_id, one.reason) for one in kept]
    assert told == [(miss.id, miss.cut_by) for miss in result.maybe]


async def test_a_token_budget_is_filled_and_never_exceeded(recall: Recall) -> None:
    def spent(memory_texts: list[str]) -> int:
        return sum(len(text.split()) for text in memory_texts)

    small = await recall.arecall(QUESTION, tokens=45)
    large = await recall.arecall(QUESTION, tokens=2_000)

    texts = [evidence.text for memory in small.memories for evidence in memory.evidence]
    assert 1 <= len(small.memories) < len(large.memories)
    assert spent(texts) <= 45


async def test_recalls_leave_the_store_byte_for_byte(recall: Recall, tmp_path: Path) -> None:
    before = stores_below(tmp_path / "store", sessions=True)
    assert {Path(name).name for name in before} >= {"catalog.db", "store.json", "chroma.sqlite3"}

    for question in (QUESTION, "How is the bread?", "Which tyres do I have?", QUESTION):
        result = await recall.arecall(question)
    await recall.aexplain(result.trace_id, "garden")

    assert stores_below(tmp_path / "store", sessions=True) == before


async def test_concurrent_recalls_answer_as_if_alone(recall: Recall) -> None:
    questions = [QUESTION, "How is the bread?", "Which tyres are in the cellar?", "tomatoes water"]
    alone = [(await recall.arecall(question)).ids() for question in questions]

    together = await asyncio.gather(*(recall.arecall(question) for question in questions * 5))

    assert [result.ids() for result in together] == alone * 5
    assert len({result.trace_id for result in together}) == 20


async def test_the_same_question_has_the_same_answer(recall: Recall) -> None:
    first, second = [await recall.arecall(QUESTION, at=AT) for _ in range(2)]

    own = {"trace_id", "spent"}
    assert first.model_dump(exclude=own) == second.model_dump(exclude=own)


async def test_a_memory_that_was_added_is_found_by_an_open_recall(recall: Recall) -> None:
    await recall.aadd([note("offer", "Carefeed interview moved to Friday at noon.")])

    assert "offer" in (await recall.arecall(QUESTION)).ids()


# --- one entity never reaches another ---


@settings(max_examples=3)
@given(
    shared=st.sets(st.sampled_from(range(len(LIFE))), min_size=1, max_size=4),
    question=st.sampled_from([QUESTION, "How is the bread?", "tomatoes"]),
)
def test_entities_with_the_same_texts_answer_with_their_own_memories(
    shared: set[int], question: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("two")
    texts = [LIFE[place].messages[0].content for place in sorted(shared)]
    answers: dict[str, set[str]] = {}
    for entity in ("a", "b"):
        with Recall.open(folder, entity=entity, embedder="hashing") as mine:
            mine.add([note(f"{entity}-{n}", text) for n, text in enumerate(texts)])
    for entity in ("a", "b"):
        with Recall.open(folder, entity=entity, embedder="hashing") as mine:
            result = mine.recall(question)
            trace = mine.trace(result.trace_id)
            answers[entity] = {candidate.memory_id for candidate in trace.candidates}

    assert all(found.startswith("a-") for found in answers["a"])
    assert {f"b-{found[2:]}" for found in answers["a"]} == answers["b"]


async def test_a_trace_of_another_entity_is_refused(recall: Recall, tmp_path: Path) -> None:
    result = await recall.arecall(QUESTION)
    trace = recall.trace(result.trace_id)

    async with await Recall.aopen(tmp_path / "store", entity="theo", embedder="hashing") as other:
        await other.aadd([note("theirs", "Carefeed interview at noon")])
        with pytest.raises(UsageError, match="entity 'mara'"):
            await other.aexplain(trace, "plan")
        with pytest.raises(UsageError, match="no trace"):
            await other.aexplain(result.trace_id, "plan")


async def test_what_only_fills_a_free_slot_is_marked_as_weak(recall: Recall) -> None:
    await recall.aadd([note("roof", "zinc gutter")])
    result = await recall.arecall("Carefeed interview", k=50)

    assert {memory.why == WEAK for memory in result.memories} == {True, False}
    assert all(memory.weak == (memory.why == WEAK) for memory in [*result.memories, *result.maybe])


# --- careless input ---


async def test_an_empty_question_is_refused(recall: Recall) -> None:
    for question in ("", "   \n\t ", "\x00", "\x00 \x00"):
        with pytest.raises(UsageError, match="empty"):
            await recall.arecall(question)


async def test_a_question_that_is_a_document_is_refused(recall: Recall) -> None:
    with pytest.raises(UsageError, match="100,000 characters"):
        await recall.arecall("x" * 100_000)


STRANGE = (
    "Carefeed\x00 interview",
    "word " * (QUESTION_CHARS // 5),
    "面接の準備を手伝ってください",
    "مقابلة عمل",
    '"unbalanced AND (NEAR OR * -',
    "'; DROP TABLE passages; --",
    "\ud800 half a character",
)


async def test_a_strange_question_is_answered(recall: Recall) -> None:
    for question in STRANGE:
        result = await recall.arecall(question)

        assert result.degraded == []
        assert result.stop_reason
        assert recall.trace(result.trace_id).question == result.question


async def test_far_more_memories_than_there_are_may_be_asked_for(recall: Recall) -> None:
    result = await recall.arecall(QUESTION, k=10_000)

    assert 1 <= len(result.memories) <= len(LIFE)


async def test_an_entity_without_memories_is_unknown(recall: Recall, tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "store", entity="nobody", embedder="hashing") as other:
        with pytest.raises(UnknownEntityError, match="nobody"):
            await other.arecall(QUESTION)


def test_an_empty_store_is_not_created_by_a_question(tmp_path: Path) -> None:
    with (
        Recall.open(tmp_path / "new", embedder="hashing") as opened,
        pytest.raises(UnknownEntityError),
    ):
        opened.recall(QUESTION)

    assert not (tmp_path / "new" / "store.json").exists()
    assert not list(tmp_path.glob("new/**/catalog.db"))


async def test_a_memory_that_nobody_stored_cannot_be_explained(recall: Recall) -> None:
    result = await recall.arecall(QUESTION)

    with pytest.raises(UsageError, match="nothing-like-it"):
        await recall.aexplain(result.trace_id, "nothing-like-it")


async def test_a_thread_id_without_a_checkpointer_is_refused(recall: Recall) -> None:
    with pytest.raises(UsageError, match="checkpointer"):
        await recall.arecall(QUESTION, thread_id="chat-7")


async def test_settings_given_at_the_door_are_in_force(tmp_path: Path) -> None:
    chosen = recall_settings(k=1, maybe=0)
    async with await Recall.aopen(tmp_path / "s", embedder="hashing", config=chosen) as opened:
        await opened.aadd(LIFE)
        result = await opened.arecall(QUESTION)

    assert (len(result.memories), result.maybe) == (1, [])
    assert opened.admin.config is chosen


async def test_a_store_whose_folder_is_gone_is_told_of_and_not_begun_anew(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "s", embedder="hashing") as opened:
        await opened.aadd(LIFE)
        found = (await opened.arecall(QUESTION)).ids()
        assert opened.admin.last_traces()  # it waits until the trace is written
        (tmp_path / "s").rename(tmp_path / "moved")
        with pytest.raises(StoreUnavailableError, match="is gone"):
            await opened.arecall(QUESTION)
        with pytest.raises(StoreUnavailableError, match="is gone"):
            await opened.memories.aremember("Buy plums.")
        assert not (tmp_path / "s").exists()

        (tmp_path / "moved").rename(tmp_path / "s")
        assert (await opened.arecall(QUESTION)).ids() == found


@pytest.mark.parametrize("limit", ["k", "rounds", "queries", "shortlist", "deadline_s"])
def test_limits_that_cannot_be_are_refused(limit: str) -> None:
    with pytest.raises(UsageError, match=limit):
        recall_settings(**dict[str, Any]({limit: 0}))


async def test_a_model_that_cannot_be_reached_is_replaced_and_named(tmp_path: Path) -> None:
    connection = OpenAIConnection(base_url="http://127.0.0.1:9/v1", api_key="none", max_wait_s=0.01)
    llm = OpenAILLM(OpenAILLMConfig(model="nobody", connection=connection))

    async with await Recall.aopen(tmp_path / "store", embedder="hashing", llm=llm) as recall:
        await recall.aadd([note("tea", "Green tea at 70 degrees for two minutes.")])
        result = await recall.arecall("How long does green tea steep?")
    await llm.aclose()

    assert result.ids() == ["tea"]
    assert {line.partition(":")[0] for line in result.degraded} >= {"decompose", "expand"}
    assert any(line.startswith("critique") for line in result.degraded)


async def test_what_cannot_be_opened_leaves_no_file_and_no_connection_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"object": "embedding", "index": 0, "embedding": [1.0] * 64}]
    embeddings = body(json.dumps({"object": "list", "data": rows}).encode())
    async with running(FaultServer(otherwise=embeddings)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        name, other = f"openai:{server.model}", tmp_path / "other"
        async with await Recall.aopen(other, embedder=HashingEmbedder()) as made:
            await made.aadd([note("a", "text")])
        async with await Recall.aopen(tmp_path, embedder=name) as made:
            await made.aadd([note("a", "text")])

        with pytest.raises(EmbedderMismatchError):
            await Recall.aopen(other, embedder=name)
        await server.until_nobody_is_connected()
        with pytest.raises(TypeError):
            await Recall.aopen(tmp_path, embedder=name, caches=cast(Any, 5))
        await server.until_nobody_is_connected()
        assert not StoreDirectory(tmp_path).place.is_in_use("default")


async def test_closing_goes_on_after_a_part_that_fails(tmp_path: Path) -> None:
    class Failing(DatabaseSessions):
        @in_a_thread
        def aclose(self) -> None:
            raise ConnectionError("the server of sessions is away")

    sessions = Failing(tmp_path / "sessions.db")
    recall = await Recall.aopen(tmp_path, embedder="hashing", sessions=sessions)
    await recall.aadd([note("a", "text")])

    with pytest.raises(ConnectionError):
        await recall.aclose()
    assert not StoreDirectory(tmp_path).place.is_in_use("default")


def test_a_recall_that_is_constructed_says_how_it_is_opened() -> None:
    with pytest.raises(UsageError, match=r"use Recall\.open"):
        Recall("s5")


@pytest.mark.parametrize("message", ["hello there", "thanks!", "Good morning! How are you today?"])
async def test_a_greeting_brings_nothing_unless_a_memory_is_for_it(
    empty: Recall, message: str
) -> None:
    for attribute, value in (("home", "Lisbon"), ("employer", "Acme"), ("mood", "good today")):
        await empty.memories.aremember(Fact(subject="me", attribute=attribute, value=value))
    assert (await empty.arecall(message)).ids() == []

    routine = await empty.memories.aremember("First the pills, then the news.")
    await empty.memories.cues.aadd(routine.memory_id, message)
    assert routine.memory_id in (await empty.arecall(message)).ids()


async def test_a_stream_that_is_closed_early_ends_the_recall(recall: Recall) -> None:
    await recall.arecall(QUESTION)
    before = asyncio.all_tasks()

    async with aclosing(recall.astream(QUESTION)) as events:
        await anext(events)

    assert asyncio.all_tasks() == before
