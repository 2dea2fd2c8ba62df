"""Replies to a waiting session graph: votes together with the end, and invalid replies."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tests.session_world import session_services
from tests.small_world import QUESTION, SmallWorld

from secondhop.graph.session import SessionGraph, build_session_graph
from secondhop.graph.session_result import ResolvedSession

CONFIG: Any = {"configurable": {"thread_id": "chat"}}


@pytest.fixture
async def graph(world: SmallWorld) -> SessionGraph:
    """A session graph that waits for votes on its only answer."""
    built = build_session_graph(session_services(world), InMemorySaver())
    await built.ainvoke({"question": QUESTION, "max_rounds": 1}, CONFIG)
    return built


async def replied(graph: SessionGraph, reply: Any) -> dict[str, Any]:
    """What the graph returns after the reply."""
    return await graph.ainvoke(Command(resume=reply), CONFIG)


def problem_in(done: dict[str, Any]) -> str:
    """The problem for which it still waits; asserts that the answer is the same."""
    (waiting,) = done["__interrupt__"]
    assert waiting.value["round"] == 1
    problem: str = waiting.value["problem"]
    return problem


async def test_votes_on_the_last_answer_come_with_the_end_and_count(graph: SessionGraph) -> None:
    ballot = {"plan": "hot", "wins": "warm", "coaching": "cold"}

    done = await replied(graph, {"votes": ballot, "by": "agent", "resolve": {"note": "ok"}})

    told = ResolvedSession.model_validate(done["resolved"])
    assert (done["status"], told.note) == ("resolved", "ok")
    assert told.last_votes() == ballot
    assert [one.by for one in told.votes] == ["agent"]
    assert told.accepted == ["plan", "wins"]


REPLIES: list[tuple[Any, str]] = [
    ({"votes": {"plan": "hot", "nobody-knows": "hot"}}, "nobody-knows"),
    ({"votes": {"plan": "lukewarm"}}, "lukewarm"),
    ({"votes": {"plan": "hot"}, "by": "critic"}, "critic"),
    ({"votes": {}}, "reply"),
    ({"resolve": {"accepted": ["garden"]}}, "garden"),
    ("hot", "a reply must look like"),
    (5, "a reply must look like"),
    (["plan"], "a reply must look like"),
    ({"votes": ["plan"]}, "votes must look like"),
    ({"votes": "plan"}, "votes must look like"),
    ({"votes": {"plan": None}}, "None is not a vote"),
    ({"votes": {"plan": ["hot"]}}, "['hot'] is not a vote"),
    ({"votes": {"plan": "hot"}, "by": None}, "unknown voter None"),
    ({"resolve": None}, 'reply {"votes"'),
    ({"votes": None}, 'reply {"votes"'),
    ({"resolve": "plan"}, "resolve must look like"),
    ({"resolve": ["plan"]}, "resolve must look like"),
    ({"resolve": {"accepted": "plan"}}, "accepted must be a list"),
    ({"resolve": {"accepted": 5}}, "accepted must be a list"),
    ({"resolve": {"accepted": [["plan"]]}}, "accepted must be a list"),
    ({"resolve": {"note": 5}}, "note must be text"),
]


async def test_a_reply_that_cannot_be_counted_is_asked_for_again(graph: SessionGraph) -> None:
    for reply, problem in REPLIES:
        assert problem in problem_in(await replied(graph, reply))

    done = await replied(graph, {"resolve": {"accepted": ["plan"]}})

    assert done["resolved"]["accepted"] == ["plan"]
