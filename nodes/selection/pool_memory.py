"""The pools of the recalls that run: three nodes of a round look at the same candidates."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.nodes.state import Candidate

if TYPE_CHECKING:
    from secondhop.nodes.selection.pool import Pool

KEPT_BYTES = 160_000_000
"""Of the pools kept an open entity: hundreds of usual ones, some sixty of the largest. With more
recalls at a time some are drawn again."""


class PoolMemory:
    """Finds the pool that was drawn from the very same candidates.

    Candidates are compared by identity, and a pool keeps its own alive: one recall never finds
    what another has drawn, and new scores make a new pool. Safe to share between threads.
    """

    def __init__(self, *, limit: int = KEPT_BYTES) -> None:
        """`limit`: bytes, about."""
        self._limit = limit
        self._sizes: dict[Pool, int] = {}
        """The oldest first."""
        self._of: dict[int, Pool] = {}
        """By the identity of a candidate, which holds as long as its pool does."""
        self._lock = threading.Lock()

    def find(self, ids: Sequence[str], candidates: Mapping[str, Candidate]) -> Pool | None:
        """A pool that holds all these candidates, and maybe more."""
        pool = self._of.get(id(candidates[ids[0]])) if ids else None
        if pool is None or any(pool.candidates.get(one) is not candidates[one] for one in ids):
            return None
        return pool

    def keep(self, pool: Pool) -> None:
        """Remember it instead of what earlier rounds drew, and forget the oldest."""
        size = size_of(pool)
        with self._lock:
            self._drop_those_of(pool.candidates)
            self._sizes[pool] = size
            self._of.update((id(found), pool) for found in pool.candidates.values())
            while len(self._sizes) > 1 and sum(self._sizes.values()) > self._limit:
                self._drop(next(iter(self._sizes)))

    def forget(self, candidates: Mapping[str, Candidate]) -> None:
        """Let go of the pools of a recall that has its answer."""
        with self._lock:
            self._drop_those_of(candidates)

    def _drop_those_of(self, candidates: Mapping[str, Candidate]) -> None:
        for found in candidates.values():
            if (pool := self._of.get(id(found))) is not None:
                self._drop(pool)

    def _drop(self, pool: Pool) -> None:
        del self._sizes[pool]
        for found in pool.candidates.values():
            del self._of[id(found)]


def size_of(pool: Pool) -> int:
    """Bytes of a pool's matrices once all are made; its texts weigh little beside them."""
    passages = len(pool.evidence.vectors)
    return pool.evidence.vectors.nbytes + 4 * passages**2 + 16 * passages * len(pool.ids)
