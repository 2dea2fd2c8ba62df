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

    async def enter(self, *, within_s: float) -> bool:
        """Take a place, and wait so long for one. Returns whether there was one."""
        with self._guard:
            if self._free:
                self._free -= 1
                return True
            if within_s <= 0:
                return False
            turn: Future[None] = Future()
            self._waiting.append(turn)
        try:
            async with asyncio.timeout(within_s):
                await asyncio.wrap_future(turn)
        except BaseException as error:
            if not turn.cancel():  # the place was given at the same moment
                self.leave()
            if isinstance(error, TimeoutError):
                return False
            raise
        return True

    def leave(self) -> None:
        """Give the place to the next who still waits. In any thread."""
        with self._guard:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._free += 1
