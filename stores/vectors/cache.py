"""The vectors used last, by passage id: diversity asks for the same ones several times a recall."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from secondhop.stores.records import Vector


class VectorCache:
    """Bounded, least recently used out first. Safe to use from any thread."""

    def __init__(self, *, capacity: int = 4_096) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        """Those of the ids that are here."""
        with self._guard:
            present = [i for i in passage_ids if i in self._vectors]
            for passage_id in present:
                self._vectors.move_to_end(passage_id)
            return {i: self._vectors[i] for i in present}

    def keep(self, vectors: Mapping[str, Vector]) -> None:
        """Remember these."""
        with self._guard:
            self._vectors.update(vectors)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)

    def drop(self, passage_ids: Sequence[str]) -> None:
        """Forget these."""
        with self._guard:
            for passage_id in passage_ids:
                self._vectors.pop(passage_id, None)
