"""Marks all memory that this process is given, so that files tell what was written unread."""

import ctypes
import platform
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

M_PERTURB = -6
"""Of glibc: what is freed is filled with this byte, what is given out with its complement."""
FREED = 0x5A
MARKS = [bytes([FREED]) * 48, bytes([FREED ^ 0xFF]) * 48]


@contextmanager
def marked_memory() -> Generator[None, None, None]:
    """A block in which memory is marked; the test is skipped where that cannot be done."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc marks memory when asked")
    libc = ctypes.CDLL(None)
    assert libc.mallopt(M_PERTURB, FREED) == 1
    try:
        yield
    finally:
        libc.mallopt(M_PERTURB, 0)


def files_with_mark(folder: Path) -> list[str]:
    """Names of the files below it that hold a mark."""
    contents = [(path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file()]
    return sorted({name for name, raw in contents if any(mark in raw for mark in MARKS)})
