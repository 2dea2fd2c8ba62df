"""How fast a recall is beside other systems: one run with the same passages, vectors and k.

    make bench                                       # 1,000 and 10,000 passages
    make bench BENCH_FULL=1                          # and 100,000; within a quarter of an hour
    python -m benchmarks.speed --passages 1000 --only "secondhop none, with cues"

Each system runs in a process of its own, so that its RAM can be measured. Each question goes to all
systems in turn, so that other work on the machine affects all alike; compare the ratios. Every
question is embedded again. The language model for the efforts `low` and `high` is scripted, runs on
loopback, and answers after 300 ms.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.libraries import versions
from benchmarks.quiet import silence, stay_on_this_machine
from benchmarks.scripted_model import LATENCY_S, model_process
from benchmarks.speed_place import K, Place, loaded
from benchmarks.speed_systems import BASELINE, FILLS, SYSTEMS, System
from benchmarks.table_into import DOCUMENT, put

WARM_UP = 3
AT_ONCE = 100
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Measured:
    """The cost of one system, in milliseconds."""

    walls: list[float] = field(default_factory=list[float])
    worked: float = 0.0
    """Processor time per question, all threads, including work after the answer."""
    rss_mb: float = 0.0
    crowd: list[float] = field(default_factory=list[float])
    """With AT_ONCE questions at once: first the time until all were answered, then each time."""

    def share(self, percent: int) -> float:
        """The percentile of the wall times."""
        ranked = sorted(self.walls)
        return ranked[min(len(ranked) - 1, percent * len(ranked) // 100)]


# --- the process of a system ---


def fill(store: str, place: Place) -> None:
    """Fill `store`, one of `FILLS`, with the passages."""

    async def filling() -> None:
        await FILLS[store](place, await loaded())

    silence(place.folder)
    stay_on_this_machine()
    asyncio.run(filling())


def serve(pipe: "Connection[Any, Any]", number: int, place: Place) -> None:
    """Ask system `number` the questions that come through the pipe, until None comes."""

    async def serving() -> None:
        models = await loaded()
        async with SYSTEMS[number].opened(place, models) as ask:
            pipe.send("ready")

            async def timed(question: str, entity: str) -> float:
                begun = time.perf_counter()
                await ask(question, entity)
                return 1e3 * (time.perf_counter() - begun)

            while wanted := await asyncio.to_thread(pipe.recv):
                begun = time.perf_counter()
                walls = await asyncio.gather(*(timed(*one) for one in wanted))
                whole = 1e3 * (time.perf_counter() - begun)
                pipe.send((whole, walls, 1e3 * time.process_time(), rss_mb()))

    silence(place.folder)
    stay_on_this_machine()
    asyncio.run(serving())


def rss_mb() -> float:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


# --- the run ---


def measure(
    place: Place, systems: Sequence[System], questions: Sequence[str], *, at_once: bool
) -> dict[str, Measured]:
    """{system: its cost}; each question goes to all systems in turn."""
    spawning = multiprocessing.get_context("spawn")
    stores = dict.fromkeys(one.store for one in systems if one.store)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        filled = [pool.submit(filled_in, store, place) for store in stores]
    for one in filled:
        one.result()
    found = {system.name: Measured() for system in systems}
    with ExitStack() as stack:
        pipes: dict[str, Connection[Any, Any]] = {}
        for system in systems:
            ours, theirs = spawning.Pipe()
            arguments = (theirs, SYSTEMS.index(system), place)
            process = spawning.Process(target=serve, args=arguments, daemon=True)
            process.start()
            stack.callback(process.join, 30)
            stack.callback(ours.send, None)
            pipes[system.name] = ours
        for pipe in pipes.values():
            pipe.recv()  # ready
        ask_in_turn(pipes, found, place, questions)
        for system in systems:
            if at_once and system.answers == 1:
                crowd = itertools.islice(itertools.cycle(questions), AT_ONCE)
                pipes[system.name].send([(f"{q} ({n})", "e0") for n, q in enumerate(crowd)])
                whole, walls, _, _ = pipes[system.name].recv()
                found[system.name].crowd = [whole, *walls]
    return found


def ask_in_turn(
    pipes: dict[str, "Connection[Any, Any]"],
    found: dict[str, Measured],
    place: Place,
    questions: Sequence[str],
) -> None:
    """Ask every system every question; the first WARM_UP questions do not count."""
    begun: dict[str, float] = {}
    worked: dict[str, float] = {}
    for number, question in enumerate(questions):
        for name, pipe in pipes.items():
            pipe.send([(question, place.entity(number))])
            whole, _, worked[name], found[name].rss_mb = pipe.recv()
            if number < WARM_UP:
                begun[name] = worked[name]
            else:
                found[name].walls.append(whole)
    for name, one in found.items():
        one.worked = (worked[name] - begun[name]) / max(1, len(one.walls))


def filled_in(store: str, place: Place) -> None:
    """Fill a store in a process of its own.

    Raises:
        SystemExit: the process failed.
    """
    begun = time.perf_counter()
    process = multiprocessing.get_context("spawn").Process(target=fill, args=(store, place))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{store} could not be filled")
    say_below(f"  {store}: filled in {time.perf_counter() - begun:.0f} s")


# --- the table ---


def table(title: str, found: dict[str, Measured]) -> Iterator[str]:
    """The table of one setting."""
    base = found.get(BASELINE)
    yield f"| {title} | p50, ms | ratio | p95, ms | processor, ms | ratio | RSS, MB |"
    yield "|---|---|---|---|---|---|---|"
    for name, one in found.items():
        p50, p95 = one.share(50), one.share(95)
        ratios = (p50 / base.share(50), one.worked / base.worked) if base else (0.0, 0.0)
        yield (
            f"| {name} | {p50:,.0f} | {ratios[0]:.1f} | {p95:,.0f} "
            f"| {one.worked:,.0f} | {ratios[1]:.1f} | {one.rss_mb:,.0f} |"
        )
    yield ""
    yield from crowds(found)


def crowds(found: dict[str, Measured]) -> Iterator[str]:
    """For systems with a model: the time beyond the model's, and with many questions at once."""
    answers = {system.name: system.answers for system in SYSTEMS}
    for name, one in found.items():
        if waited := 1e3 * LATENCY_S * answers[name]:
            line = (
                f"{name} waits {waited:.0f} ms for the model; beyond that p50 "
                f"{one.share(50) - waited:.0f} ms, p95 {one.share(95) - waited:.0f} ms"
            )
            if one.crowd:
                ratio = one.crowd[0] / one.share(50)
                line += (
                    f"; {AT_ONCE} at once: all after {one.crowd[0]:,.0f} ms, {ratio:.1f} times one"
                )
            yield f"{line}."
    yield ""


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passages", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--entities", type=int, default=1_000, help="0: no such table")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these systems alone")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/benchmarks.md"
    )
    return parser.parse_args()


def settings_of(wanted: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """(passages, entities) of each table."""
    yield from ((passages, 1) for passages in wanted.passages)
    if wanted.entities:
        yield 10 * wanted.entities, wanted.entities


def main() -> None:
    """Measure, print, and with --write update the document."""
    wanted = arguments()
    systems = [one for one in SYSTEMS if wanted.only is None or one.name in wanted.only]
    questions = asyncio.run(loaded()).base.questions[: wanted.questions + WARM_UP]
    lines: list[str] = []
    load, began = os.getloadavg()[0], time.perf_counter()
    with model_process() as model_url:
        for passages, entities in settings_of(wanted):
            title = (
                f"{passages:,} passages, {entities:,} {'entity' if entities == 1 else 'entities'}"
            )
            say_below(title)
            with TemporaryDirectory(prefix="secondhop-speed-", ignore_cleanup_errors=True) as name:
                place = Place(
                    folder=Path(name), passages=passages, entities=entities, model_url=model_url
                )
                rows = [one for one in systems if entities == 1 or one.for_many]
                found = measure(place, rows, questions, at_once=entities == 1)
            lines += table(title, found)
            say_below(f"  {time.perf_counter() - began:.0f} s so far")
    lines += about(load, questions)
    sys.stdout.write("\n".join(lines) + "\n")
    if wanted.write:
        put(DOCUMENT, "speed", lines)


def about(load: float, questions: Sequence[str]) -> Iterator[str]:
    """The day, the versions, and how busy the machine was."""
    packages = ", ".join(f"{package} {number}" for package, number in versions().items())
    yield (
        f"{time.strftime('%Y-%m-%d')}, {len(questions) - WARM_UP} questions, k = {K}; load "
        f"{load:.1f} to {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {packages}"
    )


def say_below(line: str) -> None:
    """Print progress on stderr."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
