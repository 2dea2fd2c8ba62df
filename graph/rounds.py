"""One round from its queries to the critic's votes: the part that every recall graph shares."""

from collections.abc import Hashable
from functools import partial
from typing import Any

from langgraph.graph import StateGraph

from secondhop.graph.routing import after_begin, after_dispatch, after_fuse, after_rerank
from secondhop.graph.step import step
from secondhop.nodes.critique import critique
from secondhop.nodes.decompose import decompose
from secondhop.nodes.dispatch import dispatch
from secondhop.nodes.diversify import diversify
from secondhop.nodes.expand import expand
from secondhop.nodes.fuse import fuse
from secondhop.nodes.rerank import rerank
from secondhop.nodes.retrieve import retrieve
from secondhop.nodes.services import Services
from secondhop.nodes.suggest import suggest


def add_round(graph: "StateGraph[Any, None, Any, Any]", services: Services) -> None:
    """begin -> {decompose | expand ->} dispatch -> retrieve | suggest -> fuse

    `begin` is the caller's; `add_critic` goes on from `fuse`.
    """
    graph.add_node("decompose", step(decompose, services=services))
    graph.add_node("expand", step(expand, services=services))
    graph.add_node("dispatch", step(dispatch, services=services))
    graph.add_node("retrieve", step(retrieve, services=services))
    graph.add_node("suggest", step(suggest, services=services))
    graph.add_node("fuse", step(fuse, services=services))

    begun = partial(after_begin, services=services)
    graph.add_conditional_edges("begin", begun, ["decompose", "expand", "dispatch"])
    graph.add_edge(["decompose", "expand"], "dispatch")
    graph.add_conditional_edges("dispatch", after_dispatch, ["retrieve", "suggest", "fuse"])
    graph.add_edge("retrieve", "fuse")
    graph.add_edge("suggest", "fuse")


def add_critic(graph: "StateGraph[Any, None, Any, Any]", services: Services, *, then: str) -> None:
    """fuse -> {rerank ->} {diversify -> critique ->} `then`"""
    graph.add_node("rerank", step(rerank, services=services))
    graph.add_node("diversify", step(diversify, services=services))
    graph.add_node("critique", step(critique, services=services))
    judged: dict[Hashable, str] = {"judge": "diversify", "no critic": then}
    fused = partial(after_fuse, services=services)
    graph.add_conditional_edges("fuse", fused, {"rerank": "rerank", **judged})
    reranked = partial(after_rerank, services=services)
    graph.add_conditional_edges("rerank", reranked, judged)
    graph.add_edge("diversify", "critique")
    graph.add_edge("critique", then)
