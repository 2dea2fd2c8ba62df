"""Synchronous callers: without a loop, inside a running loop, and from several threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.small_world import LIFE, QUESTION

from secondhop.errors import UnknownEntityError, UsageError
from secondhop.recall import Recall
from secondhop.sync_door import SyncDoor

pytestmark = pytest.mark.usefixtures("library_of_tests")


def asked(folder: Path) -> list[str]:
    """Open, fill and ask."""
    with Recall.open(folder, embedder="hashing") as recall:
        recall.add(LIFE)
        return recall.recall(QUESTION).ids()


def test_without_an_event_loop(tmp_path: Path) -> None:
    assert "plan" in asked(tmp_path / "store")


async def test_inside_a_running_event_loop(tmp_path: Path) -> None:
    assert "plan" in asked(tmp_path / "store")


def test_from_several_threads_at_once(tmp_path: Path) -> None:
    with Recall.open(tmp_path / "store", embedder="hashing") as recall:
        recall.add(LIFE)
        alone = recall.recall(QUESTION).ids()

        def ask(question: str) -> list[str]:
            return recall.recall(question).ids()

        with ThreadPoolExecutor(max_workers=6) as threads:
            together = list(threads.map(ask, [QUESTION] * 12))

    assert together == [alone] * 12


async def test_one_recall_serves_async_and_sync_callers(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        await recall.aadd(LIFE)
        first = await recall.arecall(QUESTION)
        second = recall.recall(QUESTION)

    assert first.ids() == second.ids()


def test_errors_come_through_the_door(tmp_path: Path) -> None:
    with Recall.open(tmp_path / "store", embedder="hashing") as recall:
        with pytest.raises(UnknownEntityError):
            recall.recall(QUESTION)
        recall.add(LIFE)
        with pytest.raises(UsageError):
            recall.recall("")


def test_an_opening_that_fails_leaves_no_thread_behind(tmp_path: Path) -> None:
    import threading

    before = set(threading.enumerate())
    with pytest.raises(UsageError):
        Recall.open(tmp_path / "store", entity="", embedder="hashing")

    assert set(threading.enumerate()) <= before


def test_a_closed_door_opens_again() -> None:
    async def work() -> int:
        return 7

    door = SyncDoor()
    assert door.call(work) == 7
    door.close()
    door.close()
    assert door.call(work) == 7
    door.close()


PROGRAM = """
import asyncio, sys
from secondhop.recall import Recall

async def main():
    recall = await Recall.aopen(sys.argv[1], embedder="hashing")
    await recall.aremember("My plan for the first year.")
    answer = await asyncio.to_thread(recall.start_session, "What is my plan?")
    await asyncio.to_thread(recall.vote, answer.session_id, {answer.ids()[0]: "hot"})
    if sys.argv[2] == "closed":
        await recall.aclose()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["closed", "left open"])
def test_a_program_with_sync_calls_ends(tmp_path: Path, end: str) -> None:
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "store"), end]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
