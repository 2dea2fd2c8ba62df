"""A scripted language model on loopback that answers every request after the same time.

It runs in a process of its own and speaks the OpenAI protocol. Plans are always the same. Each vote
finds the first six memories hot and the others cold, and asks for no further round.
"""

import asyncio
import json
import multiprocessing
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from tests.models.fault_server import Exchange, FaultServer, answer, running

LATENCY_S = 0.3
HOT = 6
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


def scripted(asked: str) -> object:
    """The reply to a request."""
    for schema, plan in PLANS.items():
        if schema in asked:
            return plan
    ids = list(dict.fromkeys(re.findall(r"<memory (\w+)>", asked)))
    words = [(one, "hot" if place < HOT else "cold") for place, one in enumerate(ids)]
    votes = [
        {"id": one, "vote": vote, "reason": "as scripted", "facets": ["e1"]} for one, vote in words
    ]
    return {"votes": votes, "new_queries": [], "go_on": False}


def serve(pipe: "Connection[str, str]") -> None:
    """Run in the model's process: send the address, then serve until a message comes."""

    async def play(exchange: Exchange) -> None:
        begun = time.perf_counter()
        told = answer(json.dumps(scripted(json.dumps(exchange.asked))))
        await asyncio.sleep(LATENCY_S - (time.perf_counter() - begun))
        await told(exchange)

    async def until_told() -> None:
        async with running(FaultServer(otherwise=play)) as server:
            pipe.send(server.base_url)
            await asyncio.to_thread(pipe.recv)

    asyncio.run(until_told())


@contextmanager
def model_process() -> Generator[str]:
    """Start the model in a process; yields its base URL."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join(10)
