"""Remembers what was computed of texts, without keeping the texts."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Generic, TypeVar

T = TypeVar("T")


class TextCache(Generic[T]):
    """A function of a text that remembers its latest results, for any thread.

    The keys are hashes, because the results outlive deleted memories and must not hold their words.
    """

    def __init__(self, compute: Callable[[str], T], *, size: int) -> None:
        """`size`: how many results are kept; those used longest ago go first."""
        self._compute, self._size = compute, size
        self._kept: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> T:
        """The result for a text. It is shared, so callers must not change it."""
        key = sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = self._compute(text)
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return result
