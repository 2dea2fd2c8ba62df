"""The session graph as a host uses it: LangGraph threads, interrupts, replies."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from tests.graph.session_elsewhere import thread_saver
from tests.redis_server import redis_url as redis_url
from tests.session_world import session_services, sessions_over, started
from tests.small_world import LIFE, QUESTION, SmallWorld
from tests.stores.conftest import postgres as postgres

from secondhop.graph.session import build_session_graph
from secondhop.graph.session_result import ResolvedSession, SessionAnswer
from secondhop.nodes.session.session_state import SessionInput
from secondhop.recall import Recall

CONFIG: Any = {"configurable": {"thread_id": "chat"}}
ELSEWHERE = Path(__file__).with_name("session_elsewhere.py")


def asked_of(done: dict[str, Any]) -> dict[str, Any]:
    """The payload of the interrupt that the graph waits at."""
    (waiting,) = done["__interrupt__"]
    payload: dict[str, Any] = waiting.value
    return payload


def answer_in(done: dict[str, Any]) -> SessionAnswer:
    payload = asked_of(done)
    return SessionAnswer.model_validate({k: v for k, v in payload.items() if k != "problem"})


async def test_the_graph_waits_with_the_answer_and_goes_on_with_votes(world: SmallWorld) -> None:
    services = session_services(world)
    graph = build_session_graph(services, InMemorySaver())
    sessions = sessions_over(services)
    by_id = await started(sessions)

    first = answer_in(await graph.ainvoke({"question": QUESTION}, CONFIG))
    after = answer_in(
        await graph.ainvoke(Command(resume={"votes": {"plan": "hot", "wins": "cold"}}), CONFIG)
    )

    assert first.ids() == by_id.ids()
    voted = await sessions.avote(by_id.session_id, {"plan": "hot", "wins": "cold"})
    assert (after.round, after.ids(), after.kept) == (2, voted.ids(), voted.kept)
    assert [c.model_dump() for c in after.changes] == [c.model_dump() for c in voted.changes]


async def test_votes_that_take_longer_than_a_recall_lead_to_a_whole_round(
    world: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, now = build_session_graph(session_services(world), InMemorySaver()), time.time
    first = answer_in(await graph.ainvoke({"question": QUESTION}, CONFIG))

    monkeypatch.setattr(time, "time", lambda: now() + 100)
    after = answer_in(
        await graph.ainvoke(Command(resume={"votes": {first.ids()[0]: "hot"}}), CONFIG)
    )

    assert (after.round, after.degraded) == (2, [])


async def test_a_resolution_ends_the_graph_with_the_whole_story(world: SmallWorld) -> None:
    graph = build_session_graph(session_services(world), InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, CONFIG)
    await graph.ainvoke(Command(resume={"votes": {"plan": "hot"}, "by": "agent"}), CONFIG)

    done = await graph.ainvoke(Command(resume={"resolve": {"note": "ok"}}), CONFIG)

    told = ResolvedSession.model_validate(done["resolved"])
    assert (done["status"], told.accepted, told.rounds, told.note) == (
        "resolved",
        ["plan"],
        2,
        "ok",
    )
    assert told.votes[0].by == "agent"
    assert (await graph.aget_state(CONFIG)).next == ()


@pytest.mark.parametrize(
    ("ttl_s", "reply", "status"),
    [
        (1e-6, {"votes": {"plan": "hot"}}, "expired"),
        (60, {"abandon": True}, "abandoned"),
    ],
)
async def test_a_session_may_end_without_an_outcome(
    world: SmallWorld, ttl_s: float, reply: dict[str, Any], status: str
) -> None:
    graph = build_session_graph(session_services(world), InMemorySaver())
    begun: SessionInput = {"question": QUESTION, "ttl_s": ttl_s}
    await graph.ainvoke(begun, CONFIG)

    done = await graph.ainvoke(Command(resume=reply), CONFIG)

    assert done["status"] == status
    assert "resolved" not in done


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "postgres", "redis"])
async def test_a_thread_goes_on_in_another_process(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    saver_at = str(tmp_path / "threads.db")
    if place == "postgres":
        saver_at = request.getfixturevalue("postgres").database()
    elif place == "redis":
        saver_at = request.getfixturevalue("redis_url")
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        await recall.aadd(LIFE)
        async with thread_saver(saver_at) as saver:
            graph = build_session_graph(recall.admin.services, saver)
            first = answer_in(await graph.ainvoke({"question": QUESTION}, CONFIG))
        there = await asyncio.create_subprocess_exec(
            sys.executable, str(ELSEWHERE), str(tmp_path / "store"), saver_at, first.ids()[1],
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        told, _ = await there.communicate()
        async with thread_saver(saver_at) as saver:
            graph = build_session_graph(recall.admin.services, saver)
            done = await graph.ainvoke(Command(resume={"resolve": {}}), CONFIG)

    assert json.loads(told) == {"round": 2, "kept": [first.ids()[1]]}
    assert done["resolved"]["accepted"] == [first.ids()[1]]


class HostState(TypedDict):
    """A chatbot's own state."""

    question: str
    status: str
    resolved: dict[str, Any]


async def test_a_session_is_a_node_of_a_host_graph(world: SmallWorld) -> None:
    host: Any = StateGraph(HostState)
    host.add_node("recall", build_session_graph(session_services(world)))
    host.add_edge(START, "recall")
    host.add_edge("recall", END)
    graph = host.compile(checkpointer=InMemorySaver())

    asked: Any = {"question": QUESTION}
    waiting = await graph.ainvoke(asked, CONFIG)
    await graph.ainvoke(Command(resume={"votes": {"plan": "hot"}}), CONFIG)
    done = await graph.ainvoke(Command(resume={"resolve": {}}), CONFIG)

    assert "plan" in answer_in(waiting).ids()
    assert done["resolved"]["accepted"] == ["plan"]
