"""The words of a session are on disk only while it is open."""

import ctypes
import platform
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.small_world import LIFE, QUESTION

from secondhop.nodes.config import Config, SessionSettings
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


M_PERTURB = -6
"""glibc's option to fill freed memory with a byte, and allocated memory with its complement."""
FREED = 0x5A
MARKS = [bytes([FREED]) * 48, bytes([FREED ^ 0xFF]) * 48]


@contextmanager
def marked_memory() -> Generator[None, None, None]:
    """Mark freed and allocated memory while the block runs; skip the test if that is impossible."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc marks memory when asked")
    libc = ctypes.CDLL(None)
    assert libc.mallopt(M_PERTURB, FREED) == 1
    try:
        yield
    finally:
        libc.mallopt(M_PERTURB, 0)


def files_with_mark(folder: Path) -> list[str]:
    """Names of the files below the folder that contain a mark."""
    contents = [(path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file()]
    return sorted({name for name, raw in contents if any(mark in raw for mark in MARKS)})


async def opened(folder: Path, *, ttl_s: float = 300.0) -> Recall:
    config = Config(session=SessionSettings(k=3, ttl_s=ttl_s))
    recall = await Recall.aopen(folder, entity="mara", embedder="hashing", config=config)
    await recall.aadd(LIFE)
    return recall


async def test_no_file_holds_what_only_lay_in_memory_not_even_an_index_begun_meanwhile(
    tmp_path: Path,
) -> None:
    with marked_memory():
        async with await opened(tmp_path) as recall:
            first = await recall.sessions.astart(QUESTION)
            async with await Recall.aopen(tmp_path, entity="noor", embedder="hashing") as another:
                await another.aadd(LIFE)
                await another.arecall(QUESTION)
            await recall.sessions.avote(first.session_id, {first.ids()[0]: "hot"})

            assert files_with_mark(tmp_path) == []
