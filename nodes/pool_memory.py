"""The pools of the recalls that run: three nodes of a round look at the same candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.nodes.state import Candidate

if TYPE_CHECKING:
    from secondhop.nodes.pool import Pool

KEPT = 64
"""Pools kept an open entity, at most some megabytes each; with more recalls at a time some are
drawn again."""


class PoolMemory:
    """Finds the pool that was drawn from the very same candidates.

    Candidates are compared by identity, and a pool keeps its own alive: one recall never finds
    what another has drawn, and new scores make a new pool.
    """

    def __init__(self) -> None:
        self._kept: tuple[Pool, ...] = ()

    def find(self, ids: Sequence[str], candidates: Mapping[str, Candidate]) -> Pool | None:
        """A pool that holds all these candidates, and maybe more."""
        for pool in self._kept:
            if all(pool.candidates.get(one) is candidates[one] for one in ids):
                return pool
        return None

    def keep(self, pool: Pool) -> None:
        """Remember it, and forget the oldest. (One assignment: threads need no lock.)"""
        self._kept = (pool, *self._kept)[:KEPT]

    def forget(self, candidates: Mapping[str, Candidate]) -> None:
        """Let go of the pools of a recall that has its answer."""
        self._kept = tuple(
            pool
            for pool in self._kept
            if not any(candidates.get(one) is found for one, found in pool.candidates.items())
        )
