"""What a recall adds to its language model: wall time beside two answers of a fixed latency.

    python -m benchmarks.llm_latency                       # a minute
    python -m benchmarks.llm_latency --embedder hashing --at-once 20
    python -m benchmarks.llm_latency --fresh --freeze

A scripted model in a process of its own speaks the OpenAI protocol over a socket, answers every
request after the same time, and is content with the first round: the critical path is a plan (two
requests side by side) and a verdict. The store is the shipped scenario, the whole front door runs,
and everything was asked once before: query vectors are in the cache. With `--fresh` no plan has a
query of another: each is embedded. With `--freeze` Python's garbage collector leaves alone what
there is before the first question, as a server may have it.
"""

import argparse
import asyncio
import gc
import itertools
import json
import math
import multiprocessing
import os
import re
import statistics
import time
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.store_scaling import say
from tests.models.fault_server import Exchange, FaultServer, answer, running

from secondhop.evals.scenario import Scenario, load_scenario
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.config import Config, RecallLimits
from secondhop.recall import Recall

SCENARIO = Path(__file__).parents[1] / "examples" / "scenarios" / "carefeed"
CRITICAL_PATH = 2
"""Answers of the model that a recall of one round waits for."""
PATIENCE_S = 600.0
"""No deadline may cut short what is to be measured."""
GOAL_EXCESS_MS = 100
GOAL_RATIO = 1.5

PLANS: dict[str, object] = {
    "DecomposeReply": {
        "kind": "conceptual",
        "rewordings": ["what I need to know before the interview"],
        "parts": [{"name": "the company", "queries": ["company research, product and customers"]}],
    },
    "ExpandReply": {
        "intent": "get the job",
        "facets": [
            {"name": "own plan", "queries": ["my plan for the first year", "goals for the role"]},
            {"name": "achievements", "queries": ["achievements with numbers", "results I had"]},
            {"name": "coaching", "queries": ["interview coaching notes", "mock interview"]},
            {"name": "application", "queries": ["résumé and cover letter", "salary expectation"]},
        ],
    },
}


def scripted(asked: str, *, number: int | None) -> object:
    """The reply to a request: six memories are hot, the rest is cold; always the same plan.

    Args:
        number: comes into every query of the plan.
    """
    for schema, plan in PLANS.items():
        if schema in asked:
            return plan if number is None else numbered(plan, number)
    ids = list(dict.fromkeys(re.findall(r"<memory (\w+)>", asked)))
    words = [(one, "hot" if place < 6 else "cold") for place, one in enumerate(ids)]
    votes = [
        {"id": one, "vote": vote, "reason": "as scripted", "facets": ["e1"]} for one, vote in words
    ]
    return {"votes": votes, "empty_facets": [], "new_queries": [], "go_on": False}


def numbered(plan: object, number: int) -> object:
    """The plan with a number in its queries, which no other plan has."""

    def told(part: dict[str, Any]) -> dict[str, Any]:
        for name in {"queries", "rewordings"} & part.keys():
            part[name] = [f"{text} {number}" for text in part[name]]
        return part

    renamed: object = json.loads(json.dumps(plan), object_hook=told)
    return renamed


def serve(pipe: "Connection[str, str]", latency_s: float, fresh: bool) -> None:
    """The model's process: tells its address, and serves until it is told to end."""
    numbers = itertools.count(1)

    async def play(exchange: Exchange) -> None:
        begun = time.perf_counter()
        number = next(numbers) if fresh else None
        told = answer(json.dumps(scripted(json.dumps(exchange.asked), number=number)))
        await asyncio.sleep(latency_s - (time.perf_counter() - begun))
        await told(exchange)

    async def until_told() -> None:
        async with running(FaultServer(otherwise=play)) as server:
            pipe.send(server.base_url)
            await asyncio.to_thread(pipe.recv)

    asyncio.run(until_told())


@contextmanager
def model_process(latency_s: float, *, fresh: bool = False) -> Generator[str]:
    """The base URL of a model with that latency; `fresh`: no two plans ask the same."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=serve, args=(theirs, latency_s, fresh), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join(10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Some recalls, and what they took."""

    walls_ms: Sequence[float]
    """Each recall's own."""
    whole_ms: float
    """From the first question to the last answer."""
    worked_ms: float
    """Processor time of this process, all threads, a recall."""
    loop_ms: float
    """Of it, the event loop's own thread."""

    def share(self, percent: int) -> float:
        """Milliseconds within which so many percent of the recalls had answered."""
        ranked = sorted(self.walls_ms)
        return ranked[max(0, math.ceil(percent / 100 * len(ranked)) - 1)]


async def timed(recall: Recall, scenario: Scenario, *, count: int, at_once: int) -> Run:
    """Ask the scenario's questions in turn."""
    gate = asyncio.Semaphore(at_once)
    walls: list[float] = []

    async def one(number: int) -> None:
        question = scenario.questions[number % len(scenario.questions)]
        async with gate:
            begun = time.perf_counter()
            result = await recall.arecall(question.query, at=question.asked_at)
            walls.append(1e3 * (time.perf_counter() - begun))
            expect_one_round(result.rounds, result.degraded)

    begun, worked, own = time.perf_counter(), time.process_time(), time.thread_time()
    await asyncio.gather(*map(one, range(count)))
    return Run(
        walls_ms=walls,
        whole_ms=1e3 * (time.perf_counter() - begun),
        worked_ms=1e3 * (time.process_time() - worked) / count,
        loop_ms=1e3 * (time.thread_time() - own) / count,
    )


def expect_one_round(rounds: int, degraded: Sequence[str]) -> None:
    """Stops a benchmark that would measure something else."""
    if rounds != 1 or degraded:
        raise SystemExit(f"not what is to be measured: {rounds} rounds, degraded: {degraded}")


async def report(
    embedder: str, *, base_url: str, latency_s: float, wanted: argparse.Namespace
) -> AsyncIterator[str]:
    """Lines about one embedder."""
    scenario = load_scenario(SCENARIO)
    connection = OpenAIConnection(base_url=base_url, api_key="none", timeout_s=PATIENCE_S)
    settings = Config(limits=RecallLimits(deadline_s=PATIENCE_S))
    llm = OpenAILLM(OpenAILLMConfig(model="scripted", connection=connection))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with await Recall.aopen(
            folder, embedder=embedder, llm=llm, config=settings
        ) as recall:
            await recall.aadd(scenario.memories)
            await timed(recall, scenario, count=len(scenario.questions), at_once=1)
            if wanted.freeze:
                gc.collect()
                gc.freeze()
            alone = await timed(recall, scenario, count=wanted.recalls, at_once=1)
            many = await timed(recall, scenario, count=wanted.at_once, at_once=wanted.at_once)
        await llm.aclose()
    for line in told(embedder, alone, many, latency_ms=1e3 * latency_s):
        yield line


def told(embedder: str, alone: Run, many: Run, *, latency_ms: float) -> Iterator[str]:
    """The figures beside their goals."""
    floor_ms, one_ms = CRITICAL_PATH * latency_ms, statistics.median(alone.walls_ms)
    yield (
        f"{embedder}: one-round recall, {len(alone.walls_ms)} one after another, model latency "
        f"L = {latency_ms:.0f} ms"
    )
    yield (
        f"  wall p50 {one_ms:.0f} ms, p95 {alone.share(95):.0f} ms; p50 is "
        f"2 L x {one_ms / floor_ms:.2f}; beyond 2 L: p50 {one_ms - floor_ms:.0f} ms, "
        f"p95 {alone.share(95) - floor_ms:.0f} ms (goal {GOAL_EXCESS_MS})"
    )
    yield (
        f"  processor time a recall: {alone.worked_ms:.0f} ms, "
        f"{alone.loop_ms:.0f} of them in the event loop's thread"
    )
    count = len(many.walls_ms)
    yield (
        f"  {count} at once: all after {many.whole_ms:.0f} ms = one x {many.whole_ms / one_ms:.2f} "
        f"(goal {GOAL_RATIO}); each p50 {many.share(50):.0f} ms, p95 {many.share(95):.0f} ms"
    )
    yield (
        f"  processor time: {many.worked_ms:.0f} ms a recall, {many.loop_ms:.0f} of them in the "
        f"event loop's thread; {many.worked_ms * count / 1e3:.1f} s together = "
        f"{many.worked_ms * count / many.whole_ms:.2f} processors; the goal leaves "
        f"{(GOAL_RATIO * one_ms - floor_ms) / count:.1f} ms a recall to one thread"
    )


async def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--embedder", nargs="*", default=["default", "hashing"])
    parser.add_argument("--latency-ms", type=float, default=300.0)
    parser.add_argument("--recalls", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--fresh", action="store_true", help="no query was embedded before")
    parser.add_argument("--freeze", action="store_true", help="gc.freeze() after the start")
    wanted = parser.parse_args()
    latency_s = wanted.latency_ms / 1e3
    say(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with model_process(latency_s, fresh=wanted.fresh) as base_url:
        for embedder in wanted.embedder:
            async for line in report(
                embedder, base_url=base_url, latency_s=latency_s, wanted=wanted
            ):
                say(line)


if __name__ == "__main__":
    asyncio.run(main())
