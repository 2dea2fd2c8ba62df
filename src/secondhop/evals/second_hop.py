"""What lies beyond the question's own words: gold that plain search does not reach."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.evals.scenario import Question
from secondhop.models.embedder import Embedder
from secondhop.stores.protocols import MemorySearch

REACH = 50
"""Memories that count as within reach of the question's own vector."""

PASSAGES_PER_MEMORY = 20
"""Passages asked for per memory wanted, so that long memories do not crowd out others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondHop:
    """Gold that the question's own dense search does not bring, and how much of it came back."""

    facets: int = 0
    """Facets of which no memory of grade 2 or 3 is within reach."""
    facets_found: int = 0
    memories: int = 0
    """Memories of grade 2 or 3 that are not within reach, stale ones left out."""
    memories_found: int = 0

    def __add__(self, other: "SecondHop") -> "SecondHop":
        return SecondHop(
            facets=self.facets + other.facets,
            facets_found=self.facets_found + other.facets_found,
            memories=self.memories + other.memories,
            memories_found=self.memories_found + other.memories_found,
        )

    @property
    def share(self) -> float | None:
        """Hidden memories found / hidden memories; None when all gold is within reach."""
        return self.memories_found / self.memories if self.memories else None

    @property
    def facet_share(self) -> float | None:
        """Hidden facets found / hidden facets; None when none is hidden."""
        return self.facets_found / self.facets if self.facets else None


def second_hop(question: Question, top: Sequence[str], *, reach: Collection[str]) -> SecondHop:
    """Of one question.

    Args:
        top: what came back.
        reach: what the question's own vector brings.
    """
    gold = {
        memory_id
        for facet in question.facets
        for memory_id in facet.relevant
        if facet.served_by(memory_id) and memory_id not in question.stale
    }
    hidden = gold.difference(reach)
    dark = [facet for facet in question.facets if not any(map(facet.served_by, reach))]
    return SecondHop(
        facets=len(dark),
        facets_found=sum(any(map(facet.served_by, top)) for facet in dark),
        memories=len(hidden),
        memories_found=len(hidden.intersection(top)),
    )


async def within_reach(
    question: str, *, search: MemorySearch, embedder: Embedder, depth: int = REACH
) -> list[str]:
    """The `depth` memories that are nearest to the question's own vector, best first."""
    vector = (await embedder.embed_queries([question]))[0]
    hits = (await search.dense(vector[np.newaxis, :], k=depth * PASSAGES_PER_MEMORY))[0]
    return list(dict.fromkeys(hit.memory_id for hit in hits))[:depth]
