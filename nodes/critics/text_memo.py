"""What was found out about a text, remembered: a stored passage is read in many recalls."""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")


class TextMemo(Generic[T]):
    """A function of one or more texts that is asked once, as long as they were asked for lately.

    A digest stands for the texts: no word of anybody's memory is kept, and no text can pass for
    another. Safe to share between threads.

    >>> lengths = TextMemo(len, limit=2)
    >>> [lengths("tea"), lengths("tea"), lengths("cocoa")]
    [3, 3, 5]
    """

    def __init__(self, find: Callable[..., T], *, limit: int) -> None:
        """`limit`: answers remembered, some 150 bytes each and what they hold."""
        self._find, self._limit = find, limit
        self._known: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *texts: str) -> T:
        """As the function says."""
        key = _digest(texts)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = self._find(*texts)
        with self._lock:
            self._known[key] = found
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        return found


def _digest(texts: Sequence[str]) -> bytes:
    """Of the texts in order; where one ends and the next begins matters."""
    if len(texts) == 1:
        return blake2b(texts[0].encode("utf-8", "surrogatepass"), digest_size=16).digest()
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = array("q", [len(parts), *map(len, parts)]).tobytes()
    return blake2b(b"".join([lengths, *parts]), digest_size=16, person=b"several").digest()
