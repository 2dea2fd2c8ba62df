"""Builds the session graphs, for recalls that stay open for votes.

There are two forms of one graph. `build_session_graph` waits for votes inside the graph, with an
interrupt, for hosts that keep sessions as LangGraph threads. `build_round_graph` runs one round,
for sessions that are kept in a store of ours.
"""

from typing import Any, Literal, TypeAlias

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from secondhop.graph.rounds import add_critic, add_round, step
from secondhop.nodes.reconsider import reconsider
from secondhop.nodes.services import Services, session_services
from secondhop.nodes.session.await_votes import await_votes
from secondhop.nodes.session.begin_session import begin_session
from secondhop.nodes.session.pick_round import pick_round
from secondhop.nodes.session.present import present
from secondhop.nodes.session.session_state import SessionInput, SessionOutput, SessionState
from secondhop.nodes.session.settle import settle
from secondhop.nodes.session.take_votes import take_votes

SessionGraph: TypeAlias = CompiledStateGraph[SessionState, None, SessionInput, SessionOutput]
RoundGraph: TypeAlias = CompiledStateGraph[SessionState, None, SessionState, SessionState]


def build_session_graph(
    services: Services, checkpointer: BaseCheckpointSaver[str] | None = None
) -> SessionGraph:
    """begin -> (a round) -> pick_round -> present -> await_votes
    -> {take_votes -> reconsider -> dispatch | settle | END}

    `await_votes` interrupts with the answer (`SessionAnswer` as plain values, plus `problem`);
    resume it with a `Reply`. Without a checkpointer, the graph uses that of the host's graph.
    """
    graph = StateGraph(SessionState, input_schema=SessionInput, output_schema=SessionOutput)
    add_session_round(graph, session_services(services))
    graph.add_node("present", step(present, services=services))
    graph.add_node("await_votes", step(await_votes, services=services))
    graph.add_node("settle", step(settle, services=services))

    graph.add_edge(START, "begin")
    graph.add_edge("pick_round", "present")
    graph.add_edge("present", "await_votes")
    graph.add_conditional_edges(
        "await_votes", after_await, {"votes": "take_votes", "resolve": "settle", "over": END}
    )
    graph.add_edge("settle", END)
    return graph.compile(checkpointer=checkpointer, name="session")


def build_round_graph(services: Services) -> RoundGraph:
    """{begin | take_votes -> reconsider} -> (a round) -> pick_round -> END"""
    graph = StateGraph(SessionState)
    add_session_round(graph, session_services(services))
    graph.add_conditional_edges(START, from_start, {"begin": "begin", "votes": "take_votes"})
    graph.add_edge("pick_round", END)
    return graph.compile(name="round")


def add_session_round(
    graph: "StateGraph[SessionState, None, Any, Any]", services: Services
) -> None:
    """begin -> (a round) -> pick_round; for later rounds take_votes -> reconsider -> dispatch."""
    graph.add_node("begin", step(begin_session, services=services))
    graph.add_node("take_votes", step(take_votes, services=services))
    graph.add_node("reconsider", step(reconsider, services=services))
    graph.add_node("pick_round", step(pick_round, services=services))
    add_round(graph, services)
    add_critic(graph, services, then="pick_round")
    graph.add_edge("take_votes", "reconsider")
    graph.add_edge("reconsider", "dispatch")


def from_start(state: SessionState) -> Literal["begin", "votes"]:
    """Begin, unless the session has begun already; then go on with the votes."""
    return "votes" if state.get("facets") else "begin"


def after_await(state: SessionState) -> Literal["votes", "resolve", "over"]:
    """Another round, the resolution, or the end."""
    if state["status"] == "open":
        return "votes"
    return "resolve" if state["status"] == "resolved" else "over"
