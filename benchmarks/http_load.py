"""Many clients ask, list and store at once, over HTTP: errors, and how long each kind of call took.

python -m benchmarks.http_load http://127.0.0.1:8000 --entity me --clients 200 --seconds 120

Start the server with `--rate 0`, on a store that may be written to; `secondhop serve` on the same
machine shares its processors with this.
"""

import argparse
import asyncio
import random
import time
from collections import Counter, defaultdict
from urllib.parse import urlsplit

import httpx

QUESTIONS = ("Help me prepare for my interview", "Plan the weekend", "What did the doctor say?")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


async def client(
    http: httpx.AsyncClient, number: int, until: float, took: dict[str, list[float]]
) -> Counter[str]:
    """One client: a call after the other until the time is over; its errors."""
    chance, errors = random.Random(number), Counter[str]()
    while time.monotonic() < until:
        kind = chance.choice(("recall", "recall/stream", "memories", "briefing", "remember"))
        began = time.monotonic()
        try:
            if kind in {"memories", "briefing"}:
                answer = await http.get(f"/{kind}")
            else:
                words = f"note {number} {chance.random()}" if kind == "remember" else ""
                body = {"text": words} if words else {"question": chance.choice(QUESTIONS)}
                answer = await http.post(f"/{kind}", json=body)
            if answer.is_error:
                errors[f"{kind}: {answer.status_code}"] += 1
        except httpx.TransportError as error:
            errors[f"{kind}: {type(error).__name__}"] += 1
        took[kind].append(time.monotonic() - began)
    return errors


async def load(url: str, *, clients: int, seconds: float) -> None:
    """Run all clients, and print what came of it."""
    took: dict[str, list[float]] = defaultdict(list)
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=150, limits=limits) as http:
        found = await asyncio.gather(*(client(http, n, until, took) for n in range(clients)))
    for kind, times in sorted(took.items()):
        times.sort()
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(f"{kind:14} {len(times):6} calls  p50 {p50:6.2f} s  p95 {p95:6.2f} s")
    errors = sum(found, Counter[str]())
    print(f"errors: {dict(errors) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--entity", default="default")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    if urlsplit(given.url).hostname not in LOOPBACK:
        parser.error("it only loads servers of this machine")
    url = f"{given.url}/v1/entities/{given.entity}"
    asyncio.run(load(url, clients=given.clients, seconds=given.seconds))


if __name__ == "__main__":
    main()
