"""What HTTP adds to a recall without a model: the same question to `Recall` and to a server.

python -m benchmarks.http_overhead ./memory --entity me

Both run in this process and share one open `Recall`, so that they differ only in HTTP, with a real
connection and client.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager

import httpx
import uvicorn

from secondhop import RecallPool
from secondhop.cli.mcp_command import Address
from secondhop.models.choose_embedder import make_embedder
from secondhop.server.access import Served
from secondhop.server.app import create_app
from secondhop.server.limits import ServerLimits
from secondhop.server.metrics import Metrics

QUESTIONS = (
    "Help me prepare for my interview",
    "Plan the weekend with the children",
    "What did the doctor say?",
    "Where did I put the winter tyres?",
)

WARM = 8
"""Warm-up recalls, which load the models and embed the questions."""

PAUSE_S = 0.03
"""Pause between recalls, so that background work of one does not slow the next."""


async def ms_of(call: Awaitable[object]) -> float:
    """Milliseconds that a call takes; pauses afterwards."""
    began = time.perf_counter()
    await call
    took = (time.perf_counter() - began) * 1000
    await asyncio.sleep(PAUSE_S)
    return took


@asynccontextmanager
async def serving(served: Served) -> AsyncGenerator[str]:
    """Run the server in this event loop; yields its address."""
    app = create_app(served, limits=ServerLimits(requests_per_s=0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    sock = Address("127.0.0.1", 0).listening()  # as `serve` does; callers wait in its queue
    running = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


async def compare(store: str, entity: str, rounds: int) -> None:
    """Print the two medians, the median of the differences, and that of an empty request."""
    model = make_embedder("default")
    pool = RecallPool(store, embedder=model, annotate=False)
    served = Served(pool, store=store, embedder=model, metrics=Metrics())
    direct: list[float] = []
    asked: list[float] = []
    empty: list[float] = []
    async with (
        serving(served) as url,
        httpx.AsyncClient(base_url=f"{url}/v1/entities/{entity}", timeout=60) as http,
        pool.recall(entity) as recall,
    ):
        for number in range(rounds + WARM):
            question = QUESTIONS[number % len(QUESTIONS)]
            body = {"question": question, "effort": "none"}
            first = await ms_of(recall.arecall(question, effort="none"))
            second = await ms_of(http.post("/recall", json=body))
            third = await ms_of(http.get(f"{url}/healthz"))
            if number >= WARM:
                direct.append(first)
                asked.append(second)
                empty.append(third)
        last = await http.post("/recall", json={"question": QUESTIONS[0], "effort": "none"})
        last.raise_for_status()
    added = [other - one for one, other in zip(direct, asked, strict=True)]
    one, other, more = map(statistics.median, (direct, asked, added))
    print(f"p50: direct {one:.1f} ms, HTTP {other:.1f} ms")
    print(f"HTTP adds p50 {more:.1f} ms in {len(added)} pairs")
    print(f"p50 of a request that does nothing (/healthz): {statistics.median(empty):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--entity", default="default")
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(compare(given.store, given.entity, given.rounds))


if __name__ == "__main__":
    main()
