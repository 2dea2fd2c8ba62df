"""Two hundred clients at once on `secondhop serve`: all are answered, and no memory leaks."""

import asyncio
from pathlib import Path

import httpx
import pytest
from tests.mcp.mcp_world import MARA
from tests.server.served_world import QUESTION, new_store
from tests.server.test_serving import served, url_in

pytestmark = pytest.mark.slow

CLIENTS = 200
ROUNDS = 3
KINDS = ("remember", "memories", "briefing", "recall/stream")

KEPT_MB = 0.1
"""Most memory that a call may leave in use. Rounds differ by some 60 MB, because the number of
calls that run at once differs."""


async def call_at_once(http: httpx.AsyncClient, kind: str) -> set[int]:
    """The set of statuses when all clients make the same call at once."""

    async def one(number: int) -> int:
        if kind == "recall/stream":
            answer = await http.post(kind, json={"question": QUESTION})
            assert "event: result" in answer.text
        elif kind == "remember":
            answer = await http.post(kind, json={"text": f"Boat {number} leaks."})
        else:
            answer = await http.get(kind)
        return answer.status_code

    return {*await asyncio.gather(*(one(number) for number in range(CLIENTS)))}


def memory_mb(pid: int) -> float:
    told = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(told.partition("VmRSS:")[2].split()[0]) / 1000


async def test_two_hundred_clients_are_all_answered(tmp_path: Path) -> None:
    await asyncio.to_thread(new_store, tmp_path / "store")
    (tmp_path / "store" / "tokens.json").unlink()  # everyone on this machine may call
    statuses: set[int] = set()
    memory: list[float] = []
    with served(tmp_path / "store", "serve", "--port", "0", "--rate", "0") as (server, line):
        here = f"{url_in(line)}/v1/entities/{MARA}/"
        limits = httpx.Limits(max_connections=CLIENTS)
        async with httpx.AsyncClient(base_url=here, timeout=300, limits=limits) as http:
            for _ in range(ROUNDS):
                for kind in KINDS:
                    statuses |= await call_at_once(http, kind)
                memory.append(memory_mb(server.pid))

    assert statuses == {200, 201}
    calls = CLIENTS * len(KINDS) * (ROUNDS - 1)
    assert memory[-1] - memory[0] < KEPT_MB * calls
