"""Takes from every dense score what a memory would get from any question."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from secondhop.nodes.retrieval.hub_cache import NearnessFile, bank_id
from secondhop.ranking.arrays import Floats
from secondhop.ranking.hubness import bank_mean_topk, hub_corrected
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.query_batcher import QueryBatcher
from secondhop.stores.records import PassageHit, Vector, Vectors

NEIGHBOURS = 10
"""Background questions that a passage's similarity is averaged over."""

REMEMBERED = 50_000
"""Passages whose similarity is kept in memory; a passage id never changes its text."""


PASSAGES_A_PRODUCT = 512
"""Passages compared with the bank at a time."""


class QuestionBank(Protocol):
    """Background questions of all subjects."""

    @property
    def questions(self) -> Vectors | None:
        """float32 [n, dim], rows of unit length; None until they are embedded."""
        ...


class HubCorrection:
    """Half of CSLS against a bank of background questions: memories similar to everything yield."""

    def __init__(
        self, bank: QuestionBank, *, usual: float, kept: NearnessFile | None = None
    ) -> None:
        """`usual`: mean similarity of memories to the bank, with this model; `kept`: where it
        is kept between two starts.
        """
        self._bank, self._usual, self._kept = bank, usual, kept
        self._bank_id: tuple[Vectors, str] | None = None
        self._known: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()
        self._asked: WeakKeyDictionary[
            asyncio.AbstractEventLoop, dict[MemorySearch, QueryBatcher[str, float]]
        ] = WeakKeyDictionary()

    async def corrected(
        self, hits: Sequence[PassageHit], *, search: MemorySearch
    ) -> list[PassageHit]:
        """The hits with corrected scores, best first, ties by smaller passage id."""
        means = await self._means([hit.passage_id for hit in hits], search=search)
        if not means:
            return list(hits)
        ids = [hit.passage_id for hit in hits]
        usual = [means.get(passage_id, self._usual) for passage_id in ids]
        scores = hub_corrected(
            np.array([hit.score for hit in hits]), np.array(usual), usual=self._usual
        )
        moved = [
            (-score, hit.passage_id, hit.memory_id)
            for hit, score in zip(hits, scores.tolist(), strict=True)
        ]
        moved.sort()
        return [PassageHit(passage_id, memory_id, -less) for less, passage_id, memory_id in moved]

    async def _means(self, passage_ids: Sequence[str], *, search: MemorySearch) -> dict[str, float]:
        """Nearness to the bank by passage id; {} while there is no bank."""
        if self._bank.questions is None or not len(self._bank.questions):
            return {}
        known = self._remembered(passage_ids)
        missing = [p for p in passage_ids if p not in known]
        if missing:
            known |= await self._gathering(search).get(missing)
            self._remember(known)
        return known

    def _gathering(self, search: MemorySearch) -> QueryBatcher[str, float]:
        """The queries of a round share products with the bank: small ones cost as much as big."""
        own = self._asked.setdefault(asyncio.get_running_loop(), {})
        if search not in own:
            own[search] = QueryBatcher(
                partial(self._compared, search), keys_a_call=PASSAGES_A_PRODUCT
            )
        return own[search]

    async def _compared(self, search: MemorySearch, passage_ids: list[str]) -> dict[str, float]:
        """Nearness of passages to the bank, as far as it was not found meanwhile."""
        bank = self._bank.questions
        known = self._remembered(passage_ids)
        missing = [p for p in passage_ids if p not in known]
        if bank is None or not missing:
            return known
        if self._kept is not None:
            known |= await self._kept.get(self._named(bank), missing)
        vectors = await search.vectors([p for p in missing if p not in known])
        if vectors:
            means = await asyncio.to_thread(nearness, bank, list(vectors.values()))
            fresh: dict[str, float] = dict(zip(vectors, means.tolist(), strict=True))
            if self._kept is not None:
                await self._kept.put(self._named(bank), fresh)
            known |= fresh
        self._remember(known)
        return known

    def _named(self, bank: Vectors) -> str:
        """The id of the bank; worked out once, for a bank does not change."""
        if self._bank_id is None or self._bank_id[0] is not bank:
            self._bank_id = (bank, bank_id(bank))
        return self._bank_id[1]

    def _remembered(self, passage_ids: Sequence[str]) -> dict[str, float]:
        with self._lock:
            return {p: self._known[p] for p in passage_ids if p in self._known}

    def _remember(self, means: dict[str, float]) -> None:
        with self._lock:
            self._known.update(means)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


def nearness(bank: Vectors, vectors: Sequence[Vector]) -> Floats:
    """[n]: of each passage to the background questions."""
    return bank_mean_topk(bank @ np.stack(vectors).T, k=NEIGHBOURS)
