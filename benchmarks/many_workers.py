"""Runs three workers on PostgreSQL, Chroma and Redis while each part is killed and restarted.

    python -m benchmarks.many_workers --users 50 --seconds 600

Each user stores, recalls, lists, forgets and votes in an entity of their own, at a random worker.
Reported at the end: acknowledged changes that were lost, memories of other users, errors that do
not say what to do, and how long calls still failed after a part was back.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import httpx
from tests.local_server import free_port, wait_for
from tests.postgres_server import PostgresForTests, running_postgres

from secondhop.recall import Recall

WORKERS = 3
KILLS = 2
"""How often each part is killed."""
DOWN_S = 3.0
THINKS_S = 0.5
GIVES_UP_S = 60.0
PLACES = ("harbour", "orchard", "museum", "station", "library", "market", "bakery", "garden")
ACTS = ("met Ana", "lost a glove", "bought bread", "drew a map", "fixed a bicycle", "heard a choir")
FINE = {409, 410, 503}
"""Statuses of errors that tell the caller what to do."""


class Part(Protocol):
    """Something that can be killed."""

    def kill(self) -> None:
        """Kill it without warning."""
        ...

    def start(self) -> None:
        """Start it; returns when it can be used."""
        ...


@dataclass
class Program:
    """A server in a process of its own."""

    command: Sequence[str]
    port: int
    log: Path
    process: "subprocess.Popen[bytes] | None" = None

    def kill(self) -> None:
        """See `Part`."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def start(self) -> None:
        """See `Part`."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for(self.port, self.process)


class Call(NamedTuple):
    """A call that ended."""

    at: float
    kind: str
    outcome: str
    """"ok"; a status; "no problem" (an error without a problem document); "away" (the connection
    failed); or the name of another transport error."""
    detail: str = ""


class Kill(NamedTuple):
    """A part that was killed."""

    part: str
    at: float
    back_at: float


@dataclass
class Report:
    """The outcome of a run."""

    calls: list[Call] = field(default_factory=list[Call])
    kills: list[Kill] = field(default_factory=list[Kill])
    lost: list[str] = field(default_factory=list[str])
    """Acknowledged but not there, or forgotten but still there."""
    foreign: list[str] = field(default_factory=list[str])
    """Memories of another user that were returned."""
    damaged: list[str] = field(default_factory=list[str])
    """Damage that the doctor finds."""

    def unclear(self) -> list[Call]:
        """Failed calls whose answer does not say what to do; a killed worker is excused."""
        return [one for one in self.calls if one.outcome not in {"ok", "away", *map(str, FINE)}]

    def recoveries(self) -> list[tuple[str, float, str]]:
        """For each kill: (part, seconds from its return to the last failed call, kind of call)."""
        found: list[tuple[str, float, str]] = []
        ends = [kill.at for kill in self.kills[1:]] + [float("inf")]
        for kill, end in zip(self.kills, ends, strict=True):
            failed = [
                (kill.part, call.at - kill.back_at, call.kind)
                for call in self.calls
                if call.outcome in {"503", "away"} and kill.back_at < call.at < end
            ]
            found.append(max(failed, default=(kill.part, 0.0, "")))
        return found


@dataclass
class User:
    """A user with an entity of their own, and what the workers acknowledged."""

    number: int
    http: httpx.AsyncClient
    urls: Sequence[str]
    report: Report
    kept: dict[str, str] = field(default_factory=dict[str, str])
    forgotten: set[str] = field(default_factory=set[str])
    stored: int = 0

    def __post_init__(self) -> None:
        self.entity = f"user-{self.number:02}"
        self.chance = random.Random(self.number)

    async def live(self, until: float) -> None:
        """Make random calls, with pauses, until the time is up."""
        works = [self.remember] * 4 + [self.recall] * 4 + [self.listing, self.briefing]
        works += [self.session] * 3 + [self.forget]
        while not self.kept:
            await self.remember()
            await asyncio.sleep(THINKS_S)
        while time.monotonic() < until:
            await self.chance.choice(works)()
            await asyncio.sleep(self.chance.uniform(0, 2 * THINKS_S))

    async def call(self, kind: str, method: str, path: str, **given: Any) -> Any:
        """The JSON of the answer; None if the call failed."""
        url = f"{self.chance.choice(self.urls)}/v1/entities/{self.entity}{path}"
        try:
            answer = await self.http.request(method, url, **given)
        except httpx.TransportError as error:
            is_away = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
            self.note(kind, "away" if is_away else type(error).__name__)
            return None
        if answer.is_success:
            self.note(kind, "ok")
            return answer.json() if answer.content else {}
        problem = answer.headers.get("content-type") == "application/problem+json"
        self.note(kind, str(answer.status_code) if problem else "no problem", answer.text[:300])
        return None

    def note(self, kind: str, outcome: str, detail: str = "") -> None:
        self.report.calls.append(Call(time.monotonic(), kind, outcome, detail))

    async def remember(self) -> None:
        self.stored += 1
        act, place = self.chance.choice(ACTS), self.chance.choice(PLACES)
        memory_id = f"{self.entity}-{self.stored}"
        text = f"On day {self.stored} {self.entity} {act} at the {place}."
        body = {"text": text, "memory_id": memory_id}
        if await self.call("remember", "POST", "/remember", json=body) is not None:
            self.kept[memory_id] = text

    async def recall(self) -> None:
        body = {"question": f"When was I at the {self.chance.choice(PLACES)}?"}
        self.expect_own(await self.call("recall", "POST", "/recall", json=body))

    async def listing(self) -> None:
        self.expect_own(await self.call("list", "GET", "/memories"))

    async def briefing(self) -> None:
        self.expect_own(await self.call("briefing", "GET", "/briefing"))

    async def forget(self) -> None:
        if len(self.kept) > 2:
            memory_id, _ = self.kept.popitem()  # if the call fails, it may or may not be there
            if await self.call("forget", "DELETE", f"/memories/{memory_id}") is not None:
                self.forgotten.add(memory_id)

    async def session(self) -> None:
        """Vote in two rounds, each sent until it is answered; check that each vote counted once."""
        asked = {"question": f"When was I at the {self.chance.choice(PLACES)}?"}
        begun = await self.call("start", "POST", "/sessions", json=asked)
        self.expect_own(begun)
        if not begun or not begun["memories"]:
            return
        place, answer, cast = f"/sessions/{begun['session_id']}", begun, list[str]()
        for number in (1, 2):
            chosen = answer["memories"][0]["id"]
            body = {"votes": {chosen: "hot"}, "round": number, "request_id": f"vote-{number}"}
            answer = await self.answered("vote", f"{place}/votes", body)
            if answer is None:
                return
            self.expect_own(answer)
            cast.append(chosen)
        done = await self.answered("resolve", f"{place}/resolve", {})
        if done is None:
            return
        counted = [one for said in done["session"]["votes"] for one in said["hot"]]
        if counted != cast:
            self.report.lost.append(f"{place}: votes on {cast}, counted {counted}")

    async def answered(self, kind: str, path: str, body: dict[str, Any]) -> Any:
        """Repeat a call until it is answered; None if the session is over or after 60 tries."""
        for _ in range(60):
            answer = await self.call(kind, "POST", path, json=body)
            if answer is not None:
                return answer
            if self.report.calls[-1].outcome in {"409", "410"}:  # ours; no other task ran since
                return None
            await asyncio.sleep(0.5)
        return None

    def expect_own(self, answer: Any) -> None:
        """Check that a list, recall, briefing or session shows only this user's memories."""
        told: dict[str, Any] = answer or {}
        parts = [told, *told.get("branches", [])]
        memories: list[dict[str, str]] = told.get("entries", [])
        memories = memories + [one for part in parts for one in part.get("memories", [])]
        for memory in memories:
            memory_id = memory.get("id") or memory["memory_id"]
            if not memory_id.startswith(f"{self.entity}-"):
                self.report.foreign.append(f"{self.entity} was given {memory_id}")

    async def expect_all(self) -> None:
        """Check that the store holds what was acknowledged, and nothing that was forgotten."""
        there, after = dict[str, str](), ""
        while True:
            page = await self.call("list", "GET", "/memories", params={"after": after})
            if page is None:
                self.report.lost.append(f"{self.entity}: cannot be listed in the end")
                return
            there |= {one["memory_id"]: one["text"] for one in page["memories"]}
            if not (after := page["next"]):
                break
        for memory_id, text in self.kept.items():
            if text not in there.get(memory_id, ""):
                self.report.lost.append(f"{memory_id} is gone: {text}")
        self.report.lost += [f"{one} is back" for one in self.forgotten & there.keys()]


@contextmanager
def running_parts(folder: Path) -> Generator[tuple[dict[str, Part], list[str], dict[str, Any]]]:
    """({name: part}, the workers' addresses, arguments that open the store)."""
    chroma_port, redis_port = free_port(), free_port()
    chroma = [os.path.join(sysconfig.get_path("scripts"), "chroma"), "run", "--host", "127.0.0.1"]
    chroma += ["--port", str(chroma_port), "--path", str(folder / "chroma")]
    redis = ["redis-server", "--bind", "127.0.0.1", "--port", str(redis_port), "--save", ""]
    redis += ["--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always"]
    with ExitStack() as closes:
        postgres: PostgresForTests = closes.enter_context(running_postgres())
        place = {"path": postgres.database(), "chroma_url": f"http://127.0.0.1:{chroma_port}"}
        parts: dict[str, Part] = {
            "chroma": Program(chroma, chroma_port, folder / "chroma.log"),
            "redis": Program(redis, redis_port, folder / "redis.log"),
        }
        urls: list[str] = []
        for number in range(WORKERS):
            port = free_port()
            urls.append(f"http://127.0.0.1:{port}")
            serve = [sys.executable, "-m", "secondhop", "serve", "--port", str(port), "--rate", "0"]
            serve += ["--store", place["path"], "--chroma", place["chroma_url"]]
            serve += ["--sessions", f"redis://127.0.0.1:{redis_port}/0", "--embedder", "hashing"]
            parts[f"worker {number}"] = Program(serve, port, folder / f"worker{number}.log")
        for part in parts.values():
            closes.callback(part.kill)
            part.start()
        yield {**parts, "postgres": postgres}, urls, place


async def kill_each(parts: dict[str, Part], report: Report, *, seconds: float) -> None:
    """Kill and restart each server KILLS times and one worker per turn, at equal intervals."""
    rest = ["postgres", "redis", "chroma"]
    names = [name for turn in range(KILLS) for name in (*rest, f"worker {turn}")]
    for name in names:
        await asyncio.sleep(seconds / (len(names) + 1) - DOWN_S)
        at = time.monotonic()
        await asyncio.to_thread(parts[name].kill)
        await asyncio.sleep(DOWN_S)
        await asyncio.to_thread(parts[name].start)
        report.kills.append(Kill(name, at, time.monotonic()))


async def examine(users: Sequence[User], place: dict[str, Any], report: Report) -> None:
    """Let the doctor check every user's entity."""
    for user in users:
        async with await Recall.aopen(entity=user.entity, embedder="hashing", **place) as recall:
            told = await recall.admin.adoctor()
            report.damaged += [
                f"{user.entity}: {one.count} {one.what}"
                for one in told.findings
                if one.weight == "damage"
            ]


async def storm(folder: Path, *, users: int, seconds: float) -> Report:
    """Run the users while parts are killed; returns the report."""
    report = Report()
    limits = httpx.Limits(max_connections=2 * users)
    with running_parts(folder) as (parts, urls, place):
        async with httpx.AsyncClient(timeout=GIVES_UP_S, limits=limits) as http:
            people = [User(number, http, urls, report) for number in range(users)]
            until = time.monotonic() + seconds
            await asyncio.gather(
                kill_each(parts, report, seconds=seconds), *(one.live(until) for one in people)
            )
            await asyncio.gather(*(one.expect_all() for one in people))
        await examine(people, place, report)
    return report


def show(report: Report) -> None:
    """Print the report."""
    counts = Counter((call.kind, call.outcome) for call in report.calls)
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind:10} {outcome:12} {count:6}")
    for part, seconds, kind in report.recoveries():
        print(f"{part:10} back: calls failed for {seconds:4.1f} s {kind}")
    for name in ("lost", "foreign", "damaged"):
        found = getattr(report, name)
        print(f"{name}: {len(found)}", *found[:10], sep="\n   ")
    unclear = Counter((call.outcome, call.detail) for call in report.unclear())
    for (outcome, detail), count in unclear.items():
        print(f"unclear: {count} x {outcome} {detail}")


def main() -> None:
    """Run it in a temporary folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="secondhop-storm-", ignore_cleanup_errors=True) as name:
        show(asyncio.run(storm(Path(name), users=given.users, seconds=given.seconds)))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
