"""Takes from every dense score what a memory would get from any question."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from secondhop.ranking.hubness import bank_mean_topk, hub_corrected
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.records import PassageHit, Vectors

NEIGHBOURS = 10
"""Background questions that a passage's nearness is averaged over."""

REMEMBERED = 50_000
"""Passages whose nearness is kept in memory; a passage id never changes its text."""


class QuestionBank(Protocol):
    """Background questions of all subjects."""

    @property
    def questions(self) -> Vectors | None:
        """float32 [n, dim], rows of unit length; None until they are embedded."""
        ...


class HubCorrection:
    """Half of CSLS against a bank of background questions: memories near to everything yield."""

    def __init__(self, bank: QuestionBank, *, usual: float) -> None:
        """`usual`: mean nearness of memories to the bank, with this embedding model."""
        self._bank, self._usual = bank, usual
        self._known: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    async def corrected(
        self, hits: Sequence[PassageHit], *, search: MemorySearch
    ) -> list[PassageHit]:
        """The hits with corrected scores, best first, ties by smaller passage id."""
        means = await self._means([hit.passage_id for hit in hits], search=search)
        if not means:
            return list(hits)
        ids = [hit.passage_id for hit in hits]
        nearness = np.array([means.get(passage_id, self._usual) for passage_id in ids])
        scores = hub_corrected(np.array([hit.score for hit in hits]), nearness, usual=self._usual)
        moved = [
            PassageHit(hit.passage_id, hit.memory_id, float(score))
            for hit, score in zip(hits, scores, strict=True)
        ]
        return sorted(moved, key=lambda hit: (-hit.score, hit.passage_id))

    async def _means(self, passage_ids: Sequence[str], *, search: MemorySearch) -> dict[str, float]:
        """Nearness to the bank by passage id; {} while there is no bank."""
        bank = self._bank.questions
        if bank is None or not len(bank):
            return {}
        with self._lock:
            known = {p: self._known[p] for p in passage_ids if p in self._known}
        missing = [p for p in passage_ids if p not in known]
        vectors = await search.vectors(missing) if missing else {}
        if vectors:
            rows = np.stack(list(vectors.values()))
            means = bank_mean_topk(bank @ rows.T, k=NEIGHBOURS)
            known |= dict(zip(vectors, means.tolist(), strict=True))
        self._remember(known)
        return known

    def _remember(self, means: dict[str, float]) -> None:
        with self._lock:
            self._known.update(means)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
