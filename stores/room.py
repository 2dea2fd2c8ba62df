"""Places of which a process has only some, given to those who wait in the order in which they came.

They may wait in different event loops, and a wait takes no thread: threads are for those who have a
place, who could not go on and leave it otherwise.
"""

import asyncio
import threading
from collections import deque
from concurrent.futures import Future


class Room:
    """Room for a number of holders at once."""

    def __init__(self, places: int) -> None:
        self._guard = threading.Lock()
        self._free = places
        self._waiting: deque[Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for a place, and take it."""
        with self._guard:
            if self._free:
                self._free -= 1
                return
            turn: Future[None] = Future()
            self._waiting.append(turn)
        try:
            await asyncio.wrap_future(turn)
        except BaseException:
            if not turn.cancel():  # the place was given at the same moment
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place to the next who still waits. In any thread."""
        with self._guard:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._free += 1
