"""The rank floor: how well a search must rank a memory before a vote can put it in front."""

from bisect import bisect_left
from collections.abc import Sequence

from secondhop.nodes.critics.port import CandidateView

FRONT = 6
"""A vote cannot put a memory in front of better-ranked ones if its best place is below this.

Of 174 memories that a reader who knew the labels chose from shortlists of 28, 97 % had this place
or a better one in some facet; of all memories on those lists, 74 %.
"""


FRONT_ALONE = 20
"""The same if the question is the only facet. One ranking has one sixth place; six facets have six.
With this limit, the reader's choices lose 0.004 of alpha-nDCG; with 6 they lost 0.013."""


def front_place(candidates: Sequence[CandidateView]) -> int:
    """The limit for these candidates: `FRONT` with several facets, `FRONT_ALONE` with one."""
    facet_ids = {facet_id for view in candidates for facet_id in view.relevance}
    return FRONT if len(facet_ids) > 1 else FRONT_ALONE


def best_places(candidates: Sequence[CandidateView]) -> dict[str, int]:
    """{memory id: its best place in any facet, by calibrated relevance, from 1}.

    Memories with equal relevance all get the last of their places. A memory that no facet found
    gets the number of candidates.
    """
    best = {view.memory_id: len(candidates) for view in candidates}
    for facet_id in {facet_id for view in candidates for facet_id in view.relevance}:
        found = [view for view in candidates if view.relevance.get(facet_id, 0.0) > 0]
        rising = sorted(view.relevance[facet_id] for view in found)
        for view in found:
            place = len(rising) - bisect_left(rising, view.relevance[facet_id])
            best[view.memory_id] = min(best[view.memory_id], place)
    return best
