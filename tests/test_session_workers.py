"""Many sessions on one Redis, two workers, one killed half-way: every vote counts, and once."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.redis_server import redis_url as redis_url
from tests.small_world import QUESTION

SESSIONS = 200
VOTE_ROUNDS = 2
WORKER = Path(__file__).with_name("session_worker.py")
PATIENCE_S = 240

pytestmark = pytest.mark.slow


class WorkerGoneError(Exception):
    """It ended before it had answered."""


class Worker:
    """A process of its own; requests may overlap."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = iter(range(1_000_000))
        self.gone = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def started(cls, folder: Path, url: str) -> "Worker":
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(WORKER),
            str(folder),
            url,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**22,
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        return cls(process)

    async def ask(self, do: str, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        number = next(self._numbers)
        reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = reply
        line = json.dumps({"number": number, "do": do, **request})
        with suppress(ConnectionError):
            self._process.stdin.write(f"{line}\n".encode())
            await self._process.stdin.drain()
        return await reply

    async def kill(self) -> int:
        """With nothing said; how many requests were at work."""
        at_work = len(self._waiting)
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._listening
        return at_work

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            with suppress(json.JSONDecodeError):  # the last line of who is killed may be half one
                reply = json.loads(line)
                self._waiting.pop(reply["number"]).set_result(reply)
        self.gone = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(WorkerGoneError())


class Client:
    """One user: starts, votes, resolves, and goes to the other worker when one is gone."""

    def __init__(
        self, place: int, workers: list[Worker], seen: "Counter[str]", half_way: asyncio.Event
    ) -> None:
        self._place, self._workers, self._seen, self._half_way = place, workers, seen, half_way
        self.cast: list[dict[str, str]] = []

    async def ask(self, do: str, **request: Any) -> dict[str, Any]:
        for turn in range(len(self._workers)):
            worker = self._workers[(self._place + turn) % 2]
            if worker.gone:
                continue
            try:
                reply = await worker.ask(do, **request)
            except WorkerGoneError:
                self._seen[f"lost {do}"] += 1
                continue
            self._seen[f"{do} {reply.get('error', 'done')}"] += 1
            if self._seen["vote done"] >= SESSIONS * VOTE_ROUNDS / 2:
                self._half_way.set()
            return reply
        raise AssertionError("no worker is left")

    async def live(self) -> dict[str, Any]:
        """The resolved session's story."""
        answer = (await self.ask("start", question=QUESTION, k=2, max_rounds=9, ttl_s=600))["done"]
        session_id = answer["session_id"]
        for number in range(1, VOTE_ROUNDS + 1):
            shown = [memory["id"] for memory in answer["memories"]]
            votes: dict[str, str] = dict(zip(shown, ("hot", "warm", "cold"), strict=False))
            answer = await self.voted(session_id, number, votes)
        story: dict[str, Any] = (await self.ask("resolve", session_id=session_id))["done"]
        return story

    async def voted(self, session_id: str, number: int, votes: dict[str, str]) -> dict[str, Any]:
        """Vote until it is known to be counted: half the clients by their request's id, the others
        by looking at what became of the round."""
        self.cast.append(votes)
        request: dict[str, Any] = {"session_id": session_id, "votes": votes}
        request["round_number"] = number
        if self._place % 4 < 2:
            request["request_id"] = f"{session_id} {number}"
        reply = await self.ask("vote", **request)
        if reply.get("error") == "RoundMovedOnError":  # ours was counted, its reply was lost
            reply = await self.ask("answer", session_id=session_id)
        assert "done" in reply, reply
        answer: dict[str, Any] = reply["done"]
        assert answer["round"] == number + 1
        return answer


@pytest.fixture
async def workers(redis_url: str, tmp_path: Path) -> AsyncIterator[list[Worker]]:
    started = [await Worker.started(tmp_path / f"w{n}", redis_url) for n in range(2)]
    yield started
    for worker in started:
        await worker.kill()


async def test_no_vote_is_lost_and_none_counts_twice(workers: list[Worker]) -> None:
    seen: Counter[str] = Counter()
    half_way = asyncio.Event()
    clients = [Client(place, workers, seen, half_way) for place in range(SESSIONS)]
    at_work = 0

    async def kill_half_way() -> None:
        nonlocal at_work
        await half_way.wait()
        at_work = await workers[0].kill()

    async with asyncio.timeout(PATIENCE_S):
        _, *stories = await asyncio.gather(kill_half_way(), *(one.live() for one in clients))

    assert at_work > 0, "the worker was idle when it was killed: the test has shown nothing"
    assert seen["lost vote"] > 0
    for client, story in zip(clients, stories, strict=True):
        assert story is not None
        assert story["rounds"] == VOTE_ROUNDS + 1
        assert [as_cast(said) for said in story["votes"]] == client.cast
    print(f"\n{at_work} requests were at work in the killed worker; {dict(seen)}")


def as_cast(said: dict[str, Any]) -> dict[str, str]:
    """{memory: vote} of one round."""
    return {one: vote for vote in ("hot", "warm", "cold") for one in said[vote]}
