"""A killed recall resumes where it stopped; its checkpoint is small, plain and its own."""

import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from tests.fakes import ScriptedCritic, ScriptedPlanner, note, plan, votes
from tests.small_world import LIFE, QUESTION, SmallWorld, interview_plan, small_world

from secondhop.annotate.settings import AnnotateSettings
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.critics.port import CriticRequest, FollowUp, Verdict
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.opening import Parts, cached_embedders
from secondhop.recall import Recall
from secondhop.stores.store_directory import StoreDirectory

pytestmark = pytest.mark.usefixtures("library_of_tests")

Saver = BaseCheckpointSaver[str]

VECTOR = re.compile(r"(?:-?\d[\d.e-]*, ){23}")
"""Two dozen numbers in a row, more than any list in a recall's state has."""


@pytest.fixture
async def saver(tmp_path: Path) -> AsyncIterator[Saver]:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as made:
        yield made


class Killed(BaseException):
    """The process was killed."""


class MortalCritic(ScriptedCritic):
    """Kills its process at the first request, then answers."""

    killed = False

    async def judge(self, request: CriticRequest) -> Verdict:
        if not self.killed:
            self.killed = True
            raise Killed
        return await super().judge(request)


def front_door(world: SmallWorld, folder: Path, saver: Saver | None, services: Services) -> Recall:
    """A `Recall` over the small world's parts."""
    embedders = cached_embedders(world.embedder, entity_cache=folder / "own.db")
    home = StoreDirectory(folder)
    parts = Parts(
        home=home,
        store=world.store,
        embedders=embedders,
        services=services,
        sessions=home.place.sessions(services.entity),
        counters=home.place.counters(services.entity),
        llm=None,
        prompts=None,
        prices={},
        annotate=AnnotateSettings(by_itself=False),
    )
    return Recall(parts, checkpointer=saver)


async def recalled(recall: Recall, question: str = QUESTION, **asked: Any) -> RecallTrace:
    """The trace of a recall under the thread "chat-7"."""
    traces = [event.trace async for event in recall.astream(question, thread_id="chat-7", **asked)]
    assert traces[-1] is not None
    return traces[-1]


async def test_a_recall_that_was_killed_goes_on_at_another_worker(
    world: SmallWorld, tmp_path: Path
) -> None:
    place = str(tmp_path / "shared.db")
    planner = ScriptedPlanner(decompose=[plan(tokens=5)], expand=[interview_plan(tokens=7)])
    services = world.services(planner=planner, critic=MortalCritic())
    async with AsyncSqliteSaver.from_conn_string(place) as saver:
        with pytest.raises(Killed):
            await recalled(front_door(world, tmp_path, saver, services))

    critic = ScriptedCritic(votes(hot=["plan"], content=True))
    services = world.services(planner=ScriptedPlanner(decompose=[], expand=[]), critic=critic)
    async with AsyncSqliteSaver.from_conn_string(place) as saver:
        trace = await recalled(front_door(world, tmp_path, saver, services))

    assert (trace.spent.llm_calls, trace.stop_reason, trace.degraded) == (2, "converged", [])
    assert "plan" in trace.returned


async def test_a_resumed_recall_gets_a_deadline_of_its_own(
    world: SmallWorld, saver: Saver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    critic = MortalCritic(votes(hot=["plan"], content=True))
    recall = front_door(world, tmp_path, saver, world.services(critic=critic))
    with pytest.raises(Killed):
        await recalled(recall)
    later = time.time() + 3_600
    monkeypatch.setattr(time, "time", lambda: later)

    trace = await recalled(recall)

    assert (trace.stop_reason, trace.degraded) == ("converged", [])


async def test_the_same_question_asked_again_starts_afresh(
    world: SmallWorld, saver: Saver, tmp_path: Path
) -> None:
    recall = front_door(world, tmp_path, saver, world.services())

    first, second = await recalled(recall), await recalled(recall)

    assert first.trace_id != second.trace_id
    assert first.spent.queries == second.spent.queries
    assert len(first.steps) == len(second.steps)


async def test_another_question_of_the_same_chat_sees_nothing_of_the_first(
    world: SmallWorld, saver: Saver, tmp_path: Path
) -> None:
    recall = front_door(world, tmp_path, saver, world.services())
    alone = await front_door(world, tmp_path, None, world.services()).arecall("How is the bread?")

    await recalled(recall)
    trace = await recalled(recall, "How is the bread?")

    assert trace.returned == alone.ids()
    assert QUESTION not in {query.text for query in trace.queries}


async def test_another_entity_cannot_go_on_with_an_interrupted_recall(
    world: SmallWorld, saver: Saver, tmp_path: Path
) -> None:
    mortal = front_door(world, tmp_path, saver, world.services(critic=MortalCritic()))
    with pytest.raises(Killed):
        await recalled(mortal)
    other = await small_world(tmp_path / "other", [note("theirs", "Carefeed interview at noon")])
    services = replace(other.services(), entity="theo")

    trace = await recalled(front_door(other, tmp_path / "t", saver, services))
    await other.store.aclose()

    assert {candidate.memory_id for candidate in trace.candidates} == {"theirs"}


async def test_checkpoints_hold_plain_values_without_vectors_or_memory_text(
    world: SmallWorld,
) -> None:
    saver = InMemorySaver()
    more = FollowUp(text="winter tyres in the cellar", facet_id=None, name="tyres")
    critic = ScriptedCritic(votes(more, hot=["plan"], cold=["wins"]), votes(content=True))
    graph = build_recall_graph(world.services(critic=critic), saver)
    config: Any = {"configurable": {"thread_id": "t"}}

    await graph.ainvoke(RecallInput(question=QUESTION), config)

    texts = [memory.messages[0].content for memory in LIFE]
    snapshots = [snapshot async for snapshot in graph.aget_state_history(config)]
    assert len(snapshots) > 12
    for snapshot in snapshots:
        before_resolve = {k: v for k, v in snapshot.values.items() if k != "result"}
        written = json.dumps(before_resolve, ensure_ascii=False)
        assert json.loads(written) == before_resolve
        assert not any(text in written for text in texts)
        assert not VECTOR.search(written)
    assert RecallResult.model_validate(snapshots[0].values["result"]).rounds == 2
