"""One round from its queries to the critic's votes: the part that every recall graph shares."""

from typing import Any

from langgraph.graph import StateGraph

from secondhop.graph.step import step
from secondhop.nodes.critique import critique
from secondhop.nodes.decompose import decompose
from secondhop.nodes.dispatch import ask, send_queries
from secondhop.nodes.diversify import diversify
from secondhop.nodes.expand import expand
from secondhop.nodes.fuse import fuse
from secondhop.nodes.rerank import rerank
from secondhop.nodes.retrieve import retrieve
from secondhop.nodes.services import Services


def add_round(graph: "StateGraph[Any, None, Any, Any]", services: Services) -> None:
    """begin -> decompose | expand -> ask -> retrieve* -> fuse -> rerank -> diversify -> critique

    `begin`, and what follows on `critique`, is the caller's.
    """
    graph.add_node("decompose", step(decompose, services=services))
    graph.add_node("expand", step(expand, services=services))
    graph.add_node("ask", step(ask, services=services))
    graph.add_node("retrieve", step(retrieve, services=services))
    graph.add_node("fuse", step(fuse, services=services))
    graph.add_node("rerank", step(rerank, services=services))
    graph.add_node("diversify", step(diversify, services=services))
    graph.add_node("critique", step(critique, services=services))

    graph.add_edge("begin", "decompose")
    graph.add_edge("begin", "expand")
    graph.add_edge(["decompose", "expand"], "ask")
    graph.add_conditional_edges("ask", send_queries, ["retrieve", "fuse"])
    graph.add_edge("retrieve", "fuse")
    graph.add_edge("fuse", "rerank")
    graph.add_edge("rerank", "diversify")
    graph.add_edge("diversify", "critique")
