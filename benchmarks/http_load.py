"""Many HTTP clients ask, list and store at once: prints errors, times, and the server's RAM.

python -m benchmarks.http_load ./memory --entity me --clients 200 --seconds 120

It starts `secondhop serve` on the store and writes notes into it, so give it a copy. The server
shares this machine's processors with its clients.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

QUESTIONS = ("Help me prepare for my interview", "Plan the weekend", "What did the doctor say?")
KINDS = ("recall", "recall/stream", "memories", "briefing", "remember")


@dataclass(frozen=True, slots=True)
class Came:
    """The outcome of a load."""

    errors: Counter[str] = field(default_factory=Counter[str])
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """{kind of call: seconds of each}."""
    memory_mb: list[float] = field(default_factory=list[float])
    """RAM of the server, measured ten times at equal intervals."""


async def client(http: httpx.AsyncClient, number: int, until: float, came: Came) -> None:
    """One client: makes one call after the other until the time is up."""
    chance = random.Random(number)
    while time.monotonic() < until:
        kind = chance.choice(KINDS)
        began = time.monotonic()
        try:
            if kind in {"memories", "briefing"}:
                answer = await http.get(f"/{kind}")
            else:
                words = f"note {number} {chance.random()}" if kind == "remember" else ""
                body = {"text": words} if words else {"question": chance.choice(QUESTIONS)}
                answer = await http.post(f"/{kind}", json=body)
            if answer.is_error or "event: problem" in answer.text:
                came.errors[f"{kind}: {answer.status_code}"] += 1
        except httpx.TransportError as error:
            came.errors[f"{kind}: {type(error).__name__}"] += 1
        came.took[kind].append(time.monotonic() - began)


async def load(url: str, pid: int, *, clients: int, seconds: float) -> Came:
    """Run all clients against the server at `url`, whose process id is `pid`."""
    came, until = Came(), time.monotonic() + seconds

    async def watch() -> None:
        for _ in range(10):
            await asyncio.sleep(seconds / 10)
            came.memory_mb.append(memory_mb(pid))

    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=150, limits=limits) as http:
        await asyncio.gather(watch(), *(client(http, n, until, came) for n in range(clients)))
    return came


def memory_mb(pid: int) -> float:
    """Resident memory of a process, from Linux's /proc."""
    told = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(told.partition("VmRSS:")[2].split()[0]) / 1000


@contextmanager
def served(store: Path) -> Generator[tuple[str, int]]:
    """Run `secondhop serve` on a store: (address, process id)."""
    command = [sys.executable, "-m", "secondhop", "serve", "--port", "0", "--rate", "0"]
    command += ["--store", str(store), "--llm", "offline"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            yield server.stderr.readline().split()[2], server.pid
        finally:
            server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--entity", default="default")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    with served(given.store) as (url, pid):
        here = f"{url}/v1/entities/{given.entity}"
        came = asyncio.run(load(here, pid, clients=given.clients, seconds=given.seconds))
    for kind, times in sorted(came.took.items()):
        times.sort()
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(f"{kind:14} {len(times):6} calls  p50 {p50:6.2f} s  p95 {p95:6.2f} s")
    print("memory, MB:", *(round(one) for one in came.memory_mb))
    print(f"errors: {dict(came.errors) or 'none'}")


if __name__ == "__main__":
    main()
