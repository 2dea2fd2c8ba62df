"""Builds the recall graph, in the order of its drawing in ARCHITECTURE.md."""

from collections.abc import Hashable
from typing import TypeAlias

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from secondhop.graph.rounds import add_critic, add_round, step, unless_stopped
from secondhop.nodes.begin import begin
from secondhop.nodes.pick import pick
from secondhop.nodes.reconsider import reconsider
from secondhop.nodes.resolve import resolve
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput, RecallOutput, RecallState

RecallGraph: TypeAlias = CompiledStateGraph[RecallState, None, RecallInput, RecallOutput]


def build_recall_graph(
    services: Services, checkpointer: BaseCheckpointSaver[str] | bool | None = None
) -> RecallGraph:
    """begin -> {decompose | expand ->} dispatch -> retrieve | suggest -> fuse
    -> {rerank ->} {diversify -> critique ->} pick -> {reconsider -> {dispatch | resolve} | resolve}

    Args:
        checkpointer: None writes no checkpoints, even inside a host's graph that has a
            checkpointer; True uses the host's checkpointer.
    """
    graph = StateGraph(RecallState, input_schema=RecallInput, output_schema=RecallOutput)
    graph.add_node("begin", step(begin, services=services))
    add_round(graph, services)
    graph.add_node("pick", step(pick, services=services))
    graph.add_node("resolve", step(resolve, services=services))

    graph.add_edge(START, "begin")
    add_critic(graph, services, then="pick")
    if services.critic is None:
        graph.add_edge("pick", "resolve")
    else:
        graph.add_node("reconsider", step(reconsider, services=services))
        for name, following in (("pick", "reconsider"), ("reconsider", "dispatch")):
            edges: dict[Hashable, str] = {"go on": following, "stop": "resolve"}
            graph.add_conditional_edges(name, unless_stopped, edges)
    graph.add_edge("resolve", END)
    return graph.compile(checkpointer=checkpointer or False, name="recall")
