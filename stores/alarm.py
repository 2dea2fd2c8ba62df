"""Calls back once, when the earliest of the moments that it was set to has come."""

import threading
import time
from collections.abc import Callable

_LEAST_S = 0.01


class Alarm:
    """One waiting thread at most, and none that keeps a process alive."""

    def __init__(self, call: Callable[[], None]) -> None:
        """`call` runs in a thread of its own, and may set the alarm again."""
        self._call = call
        self._guard = threading.Lock()
        self._timer: threading.Timer | None = None
        self._due = 0.0
        self._closed = False

    def set(self, in_s: float) -> None:
        """Call back in so many seconds, unless that happens earlier anyway."""
        due = time.monotonic() + max(in_s, _LEAST_S)
        with self._guard:
            if self._closed or (self._timer is not None and self._due <= due):
                return
            self._stop()
            self._due, self._timer = due, threading.Timer(max(in_s, _LEAST_S), self._ring)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        """Call back no more; a call that runs is not waited for."""
        with self._guard:
            self._closed = True
            self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _ring(self) -> None:
        with self._guard:
            if self._timer is not threading.current_thread():  # set anew meanwhile
                return
            self._timer = None
        self._call()
