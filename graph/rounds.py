"""One round of a recall: its nodes as graph steps, and where the recall goes after each."""

import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from functools import partial
from typing import Any, Literal, NoReturn, TypeAlias

from langgraph.graph import StateGraph

from secondhop.errors import StoreUnavailableError
from secondhop.nodes.budget import in_time
from secondhop.nodes.critique import critique
from secondhop.nodes.decompose import decompose
from secondhop.nodes.dispatch import dispatch
from secondhop.nodes.diversify import diversify
from secondhop.nodes.effort import asks_critic, is_unplanned, mostly_cued, planning_steps
from secondhop.nodes.expand import expand
from secondhop.nodes.fuse import fuse
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.rerank import rerank
from secondhop.nodes.retrieve import retrieve
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState, RecallUpdate, Step
from secondhop.nodes.suggest import suggest
from secondhop.telemetry import STEPS, span_of


def add_round(graph: "StateGraph[Any, None, Any, Any]", services: Services) -> None:
    """begin -> {decompose | expand ->} dispatch -> retrieve | suggest -> fuse

    The caller adds `begin`; `add_critic` continues from `fuse`. Steps whose model is missing are
    not added, here and in `add_critic`, because LangGraph takes as long to skip a step as to run
    one.
    """
    graph.add_node("dispatch", step(dispatch, services=services))
    graph.add_node("retrieve", step(retrieve, services=services))
    graph.add_node("suggest", step(suggest, services=services))
    graph.add_node("fuse", step(fuse, services=services))

    if services.planner is None:
        graph.add_edge("begin", "dispatch")
    else:
        graph.add_node("decompose", step(decompose, services=services))
        graph.add_node("expand", step(expand, services=services))
        begun = partial(after_begin, services=services)
        graph.add_conditional_edges("begin", begun, ["decompose", "expand", "dispatch"])
        graph.add_edge("decompose", "dispatch")
        graph.add_edge("expand", "dispatch")
    graph.add_conditional_edges("dispatch", after_dispatch, ["retrieve", "suggest", "fuse"])
    graph.add_edge("retrieve", "fuse")
    graph.add_edge("suggest", "fuse")


def add_critic(graph: "StateGraph[Any, None, Any, Any]", services: Services, *, then: str) -> None:
    """fuse -> {rerank ->} {diversify -> critique ->} `then`"""
    ranked = "fuse"
    if services.reranker is not None:
        ranked = "rerank"
        graph.add_node("rerank", step(rerank, services=services))
        graph.add_edge("fuse", "rerank")
    if services.critic is None:
        graph.add_edge(ranked, then)
        return
    graph.add_node("diversify", step(diversify, services=services))
    graph.add_node("critique", step(critique, services=services))
    judged: dict[Hashable, str] = {"judge": "diversify", "no vote": then}
    graph.add_conditional_edges(ranked, partial(after_ranking, services=services), judged)
    graph.add_edge("diversify", "critique")
    graph.add_edge("critique", then)


BEYOND_S = 1.0
"""How much longer than the deadline a step may take before it is an error. `Recall` takes less to
cut it off."""

Node: TypeAlias = Callable[..., Awaitable[RecallUpdate]]
"""An async function from a state to a partial update, with its services by keyword."""


def step(node: Node, *, services: Services) -> "partial[Coroutine[Any, Any, RecallUpdate]]":
    """The node, bound to its services; each run adds an entry to `steps`.

    It is a partial, because LangGraph searches the code of plain functions for graphs that they
    call, which takes half of the time to build a graph.
    """
    return partial(run_step, node=node, services=services)


async def run_step(state: Mapping[str, Any], *, node: Node, services: Services) -> RecallUpdate:
    """Run a node, and add an entry with its time and note to `steps`."""
    started, clock = time.time(), time.perf_counter()
    name = node.__name__
    with span_of(name, "CHAIN", {"secondhop.step": name}, metric=STEPS):
        update = await within_limit(node(state, services=services), name, services)
    ms = (time.perf_counter() - clock) * 1000
    round_number: int = update.get("round", state.get("round", 0))
    spent = update.get("spent", {})
    entry = Step(
        node=name,
        round=round_number,
        started_at=started,
        ms=round(ms, 2),
        note=update.get("note", ""),
        llm_calls=int(spent.get("llm_calls", 0)),
        prompt_tokens=int(spent.get("prompt_tokens", 0)),
        completion_tokens=int(spent.get("completion_tokens", 0)),
        cached_tokens=int(spent.get("cached_tokens", 0)),
        error="; ".join(update.get("degraded", {}).values()),
    )
    kept = update.copy()
    kept.pop("note", None)
    kept["steps"] = {f"{round_number}|{name}": entry}
    return kept


async def within_limit(
    update: Awaitable[RecallUpdate], name: str, services: Services
) -> RecallUpdate:
    """The update of a step. `Recall` and its sessions cut a step off earlier, and answer without
    it; in a graph that a host runs, nothing else does.

    Raises:
        StoreUnavailableError: the step took longer than a whole recall may, and `BEYOND_S`.
    """
    deadline_s = services.settings.limits.deadline_s

    async def refuse() -> NoReturn:
        raise StoreUnavailableError(
            f"the step {name} took longer than the limit of {deadline_s:g} s; check the servers "
            f"that it uses, and try again"
        )

    return await in_time(update, limit_s=deadline_s + BEYOND_S, otherwise=refuse)


async def after_begin(
    state: RecallState, *, services: Services
) -> list[Literal["decompose", "expand"]] | Literal["dispatch"]:
    """The planning steps, if the recall is planned; else dispatch."""
    return planning_steps(state, services) or "dispatch"


async def after_dispatch(state: RecallState) -> list[Literal["retrieve", "suggest", "fuse"]]:
    """Search, unless the round has no query. In the first round, playbooks suggest memories, too,
    if there is no plan, few memories have cues, and the question is no look-up."""
    number = state["round"]
    if not any(query["round"] == number for query in state["queries"].values()):
        return ["fuse"]
    helps = is_unplanned(state) and state["kind"] not in LOOKUPS
    wanted = number == 1 and helps and not mostly_cued(state)
    return ["retrieve", "suggest"] if wanted else ["retrieve"]


async def after_ranking(state: RecallState, *, services: Services) -> Literal["judge", "no vote"]:
    """Whether the critic is asked in this round."""
    return "judge" if asks_critic(state, services) else "no vote"


async def unless_stopped(state: RecallState) -> Literal["go on", "stop"]:
    """Go on, unless a stop rule applied, or there are no new queries."""
    return "stop" if state["stop_reason"] else "go on"
