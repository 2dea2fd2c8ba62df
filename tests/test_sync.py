"""Synchronous callers: without a loop, inside a running loop, and from several threads."""

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import note
from tests.small_world import LIFE, QUESTION

from secondhop.askable import Askable
from secondhop.errors import UnknownEntityError, UsageError
from secondhop.learning.service import Learning
from secondhop.memories.maintenance import Maintenance
from secondhop.memories.reindex import reindex
from secondhop.memories.service import MemoryService
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.config import Config, RecallLimits
from secondhop.recall import Recall
from secondhop.sessions.service import Sessions

pytestmark = pytest.mark.usefixtures("library_of_tests")


def asked(folder: Path) -> list[str]:
    """Open a store, fill it and ask; returns the ids."""
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


def test_errors_reach_the_caller(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("room", [Askable, Recall, MemoryService, Sessions, Maintenance, Learning])
def test_every_async_method_that_returns_has_a_sync_form(room: type) -> None:
    """Exceptions: `aclose`, and methods that stream."""
    waiting = {
        name
        for name, method in vars(room).items()
        if inspect.iscoroutinefunction(method) and name.startswith("a") and name != "aclose"
    }
    assert waiting
    for name in waiting - {"aimport"}:
        waited = getattr(room, name.removeprefix("a"))
        assert inspect.signature(waited) == inspect.signature(getattr(room, name))


def test_a_name_that_moved_says_where_it_is_now(tmp_path: Path) -> None:
    with Recall.open(tmp_path / "store", embedder="hashing") as recall:
        with pytest.warns(DeprecationWarning, match="recall.memories.remember"):
            assert getattr(recall, "remember") == recall.memories.remember  # noqa: B009
        for name in ("briefing", "cues", "config", "services", "store"):
            with pytest.warns(DeprecationWarning, match="recall.(memories|admin)"):
                assert getattr(recall, name)
        with pytest.raises(AttributeError, match="'nonsense'"):
            getattr(recall, "nonsense")  # noqa: B009


def test_settings_of_version_0_1_still_open_it(tmp_path: Path) -> None:
    old: dict[str, Any] = {"settings": Config(limits=RecallLimits(k=2))}
    with pytest.warns(DeprecationWarning, match="use config"):
        opened = Recall.open(tmp_path / "store", embedder="hashing", **old)
    with opened as recall:
        assert recall.admin.config.limits.k == 2
    with pytest.raises(TypeError, match="'seting'"):
        Recall.open(tmp_path / "store", **{"seting": 1})  # type: ignore[arg-type]  # misspelt


PROGRAM = """
import asyncio, sys
from secondhop.recall import Recall

async def main():
    recall = await Recall.aopen(sys.argv[1], embedder="hashing")
    await recall.memories.aremember("My plan for the first year.")
    answer = await asyncio.to_thread(recall.sessions.start, "What is my plan?")
    await asyncio.to_thread(recall.sessions.vote, answer.session_id, {answer.ids()[0]: "hot"})
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


def test_a_store_is_made_again_for_another_embedding_model_from_python(tmp_path: Path) -> None:
    with Recall.open(tmp_path, embedder="hashing") as recall:
        recall.add([note("ida", "My sister is called Ida.")])

    other = HashingEmbedder(dimension=64)
    assert reindex(tmp_path, embedder=other) == 1

    with Recall.open(tmp_path, embedder=other) as recall:
        assert recall.recall("Who is Ida?").ids() == ["ida"]
