"""Refuses to work in a process that was forked after a store was opened.

Threads do not survive a fork. Chroma's would be missing, and its calls would wait forever, even if
every store was closed before.
"""

import os

from secondhop.errors import StoreError

FORKED = (
    "a store was opened before this process was forked, and threads that every store needs do not "
    "exist here, even if it was closed before; open stores after the fork (gunicorn: without "
    "--preload, or in post_fork), or start the process with 'spawn'"
)

_opened_by: list[int] = []


def expect_not_forked() -> None:
    """Note this process as the one that opens stores.

    Raises:
        StoreError: a process that this one was forked from has opened a store.
    """
    if not _opened_by:
        _opened_by.append(os.getpid())
    if _opened_by[0] != os.getpid():
        raise StoreError(FORKED)
