"""The compiled graph as a node in a host's LangGraph, and its stream of events."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from tests.fakes import ScriptedCritic, note, votes
from tests.small_world import JUDGED_ROUND, LIFE, QUESTION, SmallWorld, ask

from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.graph.session import build_session_graph
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.recall import Recall
from secondhop.running import run_recall
from secondhop.testing import temporary_recall


class HostState(TypedDict):
    """A chatbot's state; it shares `question` and `result` with the recall."""

    question: str
    result: dict[str, Any]
    answer: str


async def answer(state: HostState) -> dict[str, str]:
    """Answers with the ids of the memories it was given."""
    return {"answer": ", ".join(memory["id"] for memory in state["result"]["memories"])}


def host_graph(services: Services, saver: InMemorySaver | None = None) -> Any:
    graph = StateGraph(HostState)
    graph.add_node("recall", build_recall_graph(services))
    graph.add_node("answer", answer)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver)


async def test_the_recall_is_a_node_of_a_host_graph(world: SmallWorld) -> None:
    services = world.services()
    alone, _ = await ask(services)

    done = await host_graph(services).ainvoke({"question": QUESTION})

    assert RecallResult.model_validate(done["result"]).ids() == alone.ids()
    assert done["answer"] == ", ".join(alone.ids())
    assert set(done) == {"question", "result", "answer"}


def test_the_schemas_of_the_graphs_are_told_to_hosts(world: SmallWorld) -> None:
    services = world.services()
    for graph in (build_recall_graph(services), build_session_graph(services)):
        assert "earlier" in graph.get_input_jsonschema()["properties"]
        assert graph.get_output_jsonschema()["properties"]
        assert graph.get_context_jsonschema() is None


async def test_the_recall_s_steps_are_streamed_through_the_host(world: SmallWorld) -> None:
    nodes: list[str] = []
    async for path, update in host_graph(world.services()).astream(
        {"question": QUESTION}, stream_mode="updates", subgraphs=True
    ):
        nodes += [node for node in update if path]

    assert nodes[0] == "begin"
    assert nodes[-1] == "resolve"
    assert "retrieve" in nodes


TURNS = 5
MOST_ADDED = 8_000
"""The most bytes that a recall may add to a turn."""
LONG = [replace(one, messages=one.messages * 20) for one in LIFE]


class TalkState(MessagesState):
    """A chatbot's state; the memories are only for the reply of the same turn."""

    question: str
    result: Annotated[dict[str, Any], UntrackedValue]


async def nothing(state: TalkState) -> dict[str, Any]:
    """A node instead of a recall, to compare with."""
    return {}


def as_node(recall: Recall, *, bare: bool) -> Any:
    return nothing if bare else recall.graph


def in_a_subgraph(recall: Recall, *, bare: bool) -> Any:
    inner = StateGraph(TalkState)
    inner.add_node("recall", as_node(recall, bare=bare))
    inner.add_edge(START, "recall")
    inner.add_edge("recall", END)
    return inner.compile()


def called_by_a_node(recall: Recall, *, bare: bool) -> Any:
    async def calls(state: TalkState) -> dict[str, Any]:
        return {"result": (await recall.graph.ainvoke({"question": state["question"]}))["result"]}

    return nothing if bare else calls


def by_an_agent(recall: Recall, *, bare: bool) -> Any:
    """A node in which an agent calls the recall as a tool; `bare`: without the tool's artifact."""
    tool = recall.as_tool(k=6)

    async def calls(state: TalkState) -> dict[str, Any]:
        wish = {"name": tool.name, "args": {"question": state["question"]}, "id": "1"}
        answer = await tool.ainvoke({**wish, "type": "tool_call"})
        assert len(answer.text) > 4_000
        return {"messages": [answer.model_copy(update={"artifact": None}) if bare else answer]}

    return calls


async def bytes_of_talk(node: Any, file: Path) -> int:
    """How many bytes a SQLite checkpointer keeps of a conversation in which `node` recalls."""

    async def answer(state: TalkState) -> dict[str, Any]:
        return {"messages": [AIMessage("I see.")]}

    graph = StateGraph(TalkState)
    graph.add_node("recall", node)
    graph.add_node("answer", answer)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "answer")
    graph.add_edge("answer", END)
    async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
        host: Any = graph.compile(checkpointer=saver)
        for _ in range(TURNS):
            state = {"messages": [HumanMessage(QUESTION)], "question": QUESTION}
            await host.ainvoke(state, {"configurable": {"thread_id": "talk"}})
    with closing(sqlite3.connect(file)) as kept:
        (states,) = kept.execute("SELECT sum(length(checkpoint)) FROM checkpoints").fetchone()
        (writes,) = kept.execute("SELECT sum(length(value)) FROM writes").fetchone()
        return int(states + writes)


@pytest.mark.parametrize("inside", [as_node, in_a_subgraph, called_by_a_node, by_an_agent])
async def test_a_recall_adds_little_to_the_checkpoints_of_its_host(
    inside: Callable[..., Any], tmp_path: Path
) -> None:
    async with temporary_recall(LONG) as recall:
        whole = await bytes_of_talk(inside(recall, bare=False), tmp_path / "whole.db")
        bare = await bytes_of_talk(inside(recall, bare=True), tmp_path / "bare.db")

    print(f"\n{inside.__name__}: {(whole - bare) / TURNS:,.0f} bytes a turn")
    assert (whole - bare) / TURNS < MOST_ADDED


async def test_two_questions_of_one_host_thread_do_not_mix(world: SmallWorld) -> None:
    await world.add(note("kettle", "The kettle is descaled with vinegar."))
    services = world.services()
    host = host_graph(services, InMemorySaver())
    config = {"configurable": {"thread_id": "chat"}}
    alone, _ = await ask(services, "How do I descale the kettle?")

    await host.ainvoke({"question": QUESTION}, config)
    done = await host.ainvoke({"question": "How do I descale the kettle?"}, config)

    second = RecallResult.model_validate(done["result"])
    assert second.ids() == alone.ids()
    assert second.spent.queries == alone.spent.queries


async def test_one_event_a_step_in_order_and_the_last_has_the_answer(world: SmallWorld) -> None:
    services = world.planned_services(critic=ScriptedCritic(votes(content=True)))
    graph = build_recall_graph(services)

    events = [
        event
        async for event in run_recall(graph, RecallInput(question=QUESTION), services=services)
    ]

    *steps, last = events
    assert last.trace is not None
    assert last.result is not None
    assert sorted(step.node for step in steps) == sorted(step.node for step in last.trace.steps)
    order = list(dict.fromkeys(step.node for step in steps))
    assert order[0] == "begin"
    assert order[3:] == [*JUDGED_ROUND, "resolve"]
    assert all(step.result is None and step.trace is None for step in steps)
    assert last.node == "end"
    assert last.picks == tuple(last.result.ids())


async def test_events_show_the_best_answer_so_far_from_diversify_on(world: SmallWorld) -> None:
    services = world.planned_services(critic=ScriptedCritic(votes(content=True)))
    graph = build_recall_graph(services)

    picks = {
        event.node: event.picks
        async for event in run_recall(graph, RecallInput(question=QUESTION), services=services)
    }

    assert picks["fuse"] == ()
    assert picks["diversify"]
    assert picks["critique"] == picks["diversify"]
