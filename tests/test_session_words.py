"""Words of a session are on the disk while it is open, and no longer: through the front door."""

import asyncio
from pathlib import Path

import pytest
from tests.marked_memory import files_with_mark, marked_memory
from tests.small_world import LIFE, QUESTION

from secondhop.nodes.session_settings import SessionSettings
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

SESSIONS = {"sessions.db", "sessions.db-wal"}


def knowing_the_question(folder: Path) -> set[str]:
    """Files that hold the question's words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files if QUESTION.encode() in path.read_bytes()}


async def opened(folder: Path, *, ttl_s: float = 300.0) -> Recall:
    settings = SessionSettings(k=3, ttl_s=ttl_s)
    recall = await Recall.aopen(
        folder, entity="mara", embedder="hashing", session_settings=settings
    )
    await recall.aadd(LIFE)
    return recall


async def test_abandoned_and_resolved_sessions_leave_no_word_while_the_store_is_open(
    tmp_path: Path,
) -> None:
    async with await opened(tmp_path) as recall:
        first = await recall.astart_session(QUESTION)
        second = await recall.astart_session(QUESTION)
        third = await recall.astart_session(QUESTION)

        for ending in (
            recall.aabandon(first.session_id),
            recall.avote(second.session_id, {first.ids()[0]: "hot"}),
            recall.aresolve(second.session_id, accepted=first.ids()[:1]),
        ):
            assert knowing_the_question(tmp_path)
            assert knowing_the_question(tmp_path) <= SESSIONS
            await ending
        assert knowing_the_question(tmp_path)
        await recall.aresolve(third.session_id)

        assert knowing_the_question(tmp_path) == set()


async def test_a_session_that_expires_leaves_none_though_nobody_looks(tmp_path: Path) -> None:
    async with await opened(tmp_path, ttl_s=1.0) as recall:
        await recall.astart_session(QUESTION)
        assert knowing_the_question(tmp_path)

        for _ in range(200):
            if not knowing_the_question(tmp_path):
                break
            await asyncio.sleep(0.05)

        assert knowing_the_question(tmp_path) == set()


async def test_no_file_holds_what_only_lay_in_memory_not_even_an_index_begun_meanwhile(
    tmp_path: Path,
) -> None:
    with marked_memory():
        async with await opened(tmp_path) as recall:
            first = await recall.astart_session(QUESTION)
            async with await Recall.aopen(tmp_path, entity="noor", embedder="hashing") as another:
                await another.aadd(LIFE)
                await another.arecall(QUESTION)
            await recall.avote(first.session_id, {first.ids()[0]: "hot"})

            assert files_with_mark(tmp_path) == []
