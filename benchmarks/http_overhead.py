"""What HTTP adds to a recall without a model: each question in this process, then of a server.

python -m benchmarks.http_overhead ./memory --entity me

Starts `secondhop serve` on the same store, and asks both in turn, so that they share the weather.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable

import httpx

from secondhop import Recall

QUESTIONS = (
    "Help me prepare for my interview",
    "Plan the weekend with the children",
    "What did the doctor say?",
    "Where did I put the winter tyres?",
)

WARM = 8
"""Recalls that load the models, and embed the questions once."""


async def ms_of(call: Awaitable[object]) -> float:
    """Milliseconds that a call takes."""
    began = time.perf_counter()
    await call
    return (time.perf_counter() - began) * 1000


async def compare(store: str, entity: str, url: str, rounds: int) -> None:
    """Print the medians, and that of the differences."""
    direct: list[float] = []
    served: list[float] = []
    here = f"{url}/v1/entities/{entity}"
    async with (
        await Recall.aopen(store, entity=entity, annotate=False) as recall,
        httpx.AsyncClient(timeout=60) as http,
    ):

        async def over_http(question: str) -> None:
            body = {"question": question, "effort": "none"}
            (await http.post(f"{here}/recall", json=body)).raise_for_status()

        for number in range(rounds + WARM):
            question = QUESTIONS[number % len(QUESTIONS)]
            one = await ms_of(recall.arecall(question, effort="none"))
            other = await ms_of(over_http(question))
            if number >= WARM:
                direct.append(one)
                served.append(other)
    added = [other - one for one, other in zip(direct, served, strict=True)]
    print(
        f"p50: direct {statistics.median(direct):.1f} ms, HTTP {statistics.median(served):.1f} ms"
    )
    print(f"HTTP adds p50 {statistics.median(added):.1f} ms in {len(added)} pairs")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--entity", default="default")
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    command = [sys.executable, "-m", "secondhop", "serve", "--port", "0", "--rate", "0"]
    place = ["--store", given.store, "--llm", "offline"]
    with subprocess.Popen([*command, *place], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            url = server.stderr.readline().split()[2]
            asyncio.run(compare(given.store, given.entity, url, given.rounds))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
