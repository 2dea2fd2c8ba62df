"""What was found out about a text, remembered: a stored passage is read in many recalls."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")


class TextMemo(Generic[T]):
    """A function of a text that is asked once a text, as long as it is among the last ones asked.

    A digest stands for the text: no word of anybody's memory is kept, and no text can pass for
    another. Safe to share between threads.

    >>> lengths = TextMemo(len, limit=2)
    >>> [lengths("tea"), lengths("tea"), lengths("cocoa")]
    [3, 3, 5]
    """

    def __init__(self, find: Callable[[str], T], *, limit: int) -> None:
        """`limit`: texts remembered, some 150 bytes each."""
        self._find, self._limit = find, limit
        self._known: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> T:
        """As the function says."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = self._find(text)
        with self._lock:
            self._known[key] = found
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        return found
