"""The compiled graph as a node in somebody else's LangGraph, and its stream of events."""

import pickle
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from tests.fakes import ScriptedCritic, note, votes
from tests.small_world import JUDGED_ROUND, QUESTION, SmallWorld, ask

from secondhop.graph.builder import build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.running import run_recall


class HostState(TypedDict):
    """A chatbot's state; `question` and `result` are what it shares with the recall."""

    question: str
    result: dict[str, Any]
    answer: str


async def answer(state: HostState) -> dict[str, str]:
    """Says which memories it was given."""
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


async def test_the_recall_s_steps_are_streamed_through_the_host(world: SmallWorld) -> None:
    nodes: list[str] = []
    async for path, update in host_graph(world.services()).astream(
        {"question": QUESTION}, stream_mode="updates", subgraphs=True
    ):
        nodes += [node for node in update if path]

    assert nodes[0] == "begin"
    assert nodes[-1] == "resolve"
    assert "retrieve" in nodes


def bytes_in(saver: InMemorySaver) -> int:
    """What the checkpoints, the values and the writes in a saver take."""
    threads = [dict(thread) for thread in saver.storage.values()]
    return len(pickle.dumps([threads, dict(saver.blobs), dict(saver.writes)]))


@pytest.mark.parametrize("inside", ["as a node", "called by a node"])
async def test_a_recall_leaves_no_checkpoints_of_its_own_with_the_host(
    world: SmallWorld, inside: str
) -> None:
    services, saver = world.services(), InMemorySaver()
    host = host_graph(services, saver)
    if inside == "called by a node":

        async def calls(state: HostState) -> dict[str, Any]:
            done = await build_recall_graph(services).ainvoke({"question": state["question"]})
            return {"result": done["result"]}

        graph = StateGraph(HostState)
        graph.add_node("recall", calls)
        graph.add_edge(START, "recall")
        graph.add_edge("recall", END)
        host = graph.compile(checkpointer=saver)

    state: Any = {"question": QUESTION}
    done: Any = await host.ainvoke(state, {"configurable": {"thread_id": "chat"}})

    kept = [one async for one in saver.alist({"configurable": {"thread_id": "chat"}})]
    assert {one.config.get("configurable", {})["checkpoint_ns"] for one in kept} == {""}
    assert bytes_in(saver) < 4 * len(pickle.dumps(done["result"])) + 8_000


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
