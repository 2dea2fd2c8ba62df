"""What LangGraph and the OpenAI SDK alone take for the steps of a one-round recall.

    python -m benchmarks.llm_floor

The graph has the shape of the recall graph and nodes that do nothing, but for the three that ask:
they send a prompt of a recall's length through a bare `AsyncOpenAI` and parse the reply. Nothing
is planned, searched, ranked, shown or traced, so no recall in one process can be faster.
"""

import argparse
import asyncio
import json
import operator
import statistics
import time
from typing import Annotated, Any, TypedDict, cast

from benchmarks.llm_latency import CRITICAL_PATH, GOAL_RATIO, Run, model_process
from benchmarks.store_scaling import say
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from openai import AsyncOpenAI

QUERIES = 9
"""Of a planned recall: the question and what the two plans ask."""
PROMPT_WORDS = {"DecomposeReply": 200, "ExpandReply": 560, "Verdict": 2_600}
"""About as long as the prompts of a recall over the shipped scenario."""


class FloorState(TypedDict):
    """As little as a graph of this shape needs."""

    done: Annotated[dict[str, int], operator.or_]


async def asked(client: AsyncOpenAI, schema: str, state: FloorState) -> dict[str, int]:
    """One request of a recall's length, and its reply as JSON; with what was done before."""
    words = "memory " * PROMPT_WORDS[schema]
    reply = await client.chat.completions.create(
        model="scripted",
        messages=[{"role": "user", "content": f"{schema} {words}"}],
        response_format={"type": "json_object"},
    )
    return {schema: len(state["done"]) + len(json.loads(reply.choices[0].message.content or "{}"))}


def bare_graph(client: AsyncOpenAI) -> Any:
    """The recall graph's drawing with nothing in it."""

    async def nothing(state: FloorState) -> FloorState:
        return {"done": dict.fromkeys(state["done"], 0)}

    async def decompose(state: FloorState) -> FloorState:
        return {"done": await asked(client, "DecomposeReply", state)}

    async def expand(state: FloorState) -> FloorState:
        return {"done": await asked(client, "ExpandReply", state)}

    async def critique(state: FloorState) -> FloorState:
        return {"done": await asked(client, "Verdict", state)}

    async def retrieve(query: dict[str, int]) -> FloorState:
        return {"done": {f"q{query['number']}": 1}}

    def searches(_: FloorState) -> list[Send]:
        return [Send("retrieve", {"number": number}) for number in range(QUERIES)]

    graph = StateGraph(FloorState)
    for name in ("begin", "dispatch", "fuse", "rerank", "diversify", "pick", "resolve"):
        graph.add_node(name, nothing)
    graph.add_node("decompose", decompose)
    graph.add_node("expand", expand)
    graph.add_node("critique", critique)
    graph.add_node("retrieve", cast(Any, retrieve))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "decompose")
    graph.add_edge("begin", "expand")
    graph.add_edge(["decompose", "expand"], "dispatch")
    graph.add_conditional_edges("dispatch", searches, ["retrieve"])
    chain = ["retrieve", "fuse", "rerank", "diversify", "critique", "pick", "resolve"]
    for left, right in zip(chain, [*chain[1:], END], strict=True):
        graph.add_edge(left, right)
    return graph.compile(name="floor")


async def timed(graph: Any, *, count: int, at_once: int) -> Run:
    """Run the empty graph so many times."""
    gate = asyncio.Semaphore(at_once)
    walls: list[float] = []

    async def one() -> None:
        async with gate:
            begun = time.perf_counter()
            await graph.ainvoke({"done": {}})
            walls.append(1e3 * (time.perf_counter() - begun))

    begun, worked, own = time.perf_counter(), time.process_time(), time.thread_time()
    await asyncio.gather(*(one() for _ in range(count)))
    return Run(
        walls_ms=walls,
        whole_ms=1e3 * (time.perf_counter() - begun),
        worked_ms=1e3 * (time.process_time() - worked) / count,
        loop_ms=1e3 * (time.thread_time() - own) / count,
    )


def told(alone: Run, many: Run, *, latency_ms: float) -> str:
    """One against many at once, and what the goal leaves."""
    one_ms, count = statistics.median(alone.walls_ms), len(many.walls_ms)
    floor_ms = CRITICAL_PATH * latency_ms
    return (
        f"empty nodes and bare requests: one after another p50 {one_ms:.0f} ms, "
        f"{alone.worked_ms:.1f} ms of processor each; {count} at once {many.whole_ms:.0f} ms = "
        f"one x {many.whole_ms / one_ms:.2f} (goal for whole recalls {GOAL_RATIO}), "
        f"{many.loop_ms:.1f} ms of the event loop's thread each; the goal leaves "
        f"{(GOAL_RATIO * one_ms - floor_ms) / count:.1f}"
    )


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--latency-ms", type=float, default=300.0)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=100)
    wanted = parser.parse_args()
    with model_process(wanted.latency_ms / 1e3) as base_url:
        client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=600.0)
        graph = bare_graph(client)
        await timed(graph, count=2, at_once=1)
        alone = await timed(graph, count=wanted.runs, at_once=1)
        many = await timed(graph, count=wanted.at_once, at_once=wanted.at_once)
        await client.close()
    say(told(alone, many, latency_ms=wanted.latency_ms))


if __name__ == "__main__":
    asyncio.run(main())
