"""The thread that writes traces: one a process, since there is one disk."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_guard = threading.Lock()
_writers: dict[int, ThreadPoolExecutor] = {}
"""By process: a forked one inherits the object, but not its thread."""


def in_background(work: Callable[[], None]) -> "Future[None]":
    """Run it after everything that was given before. Python waits for it before it exits."""
    with _guard:
        writer = _writers.get(os.getpid())
        if writer is None:
            writer = ThreadPoolExecutor(1, thread_name_prefix="secondhop-traces")
            _writers[os.getpid()] = writer
        return writer.submit(work)
