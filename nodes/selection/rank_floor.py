"""The rank floor: how well a search must rank a memory before a vote can put it in front."""

from bisect import bisect_left
from collections.abc import Sequence

from secondhop.nodes.critics.port import CandidateView

FRONT = 6
"""Best place from which on a vote puts no memory in front of better founded ones.

Of 174 memories that a reader with the labels chose from shortlists of 28, 97 % stood at least as
well in some facet; of everything on those lists, 74 %.
"""


FRONT_ALONE = 20
"""The same where the question is the only facet: its one ranking has one sixth place, where six
facets have six. A reader's choices lose 0.004 of alpha-nDCG by it; by 6 they lost 0.013."""


def front_place(candidates: Sequence[CandidateView]) -> int:
    """The best place from which on a vote puts no memory in front."""
    facet_ids = {facet_id for view in candidates for facet_id in view.relevance}
    return FRONT if len(facet_ids) > 1 else FRONT_ALONE


def best_places(candidates: Sequence[CandidateView]) -> dict[str, int]:
    """{memory id: its best place in any facet, by calibrated relevance, from 1}.

    Of equals all have the last of their places. A memory that no facet found stands behind all.
    """
    best = {view.memory_id: len(candidates) for view in candidates}
    for facet_id in {facet_id for view in candidates for facet_id in view.relevance}:
        found = [view for view in candidates if view.relevance.get(facet_id, 0.0) > 0]
        rising = sorted(view.relevance[facet_id] for view in found)
        for view in found:
            place = len(rising) - bisect_left(rising, view.relevance[facet_id])
            best[view.memory_id] = min(best[view.memory_id], place)
    return best
