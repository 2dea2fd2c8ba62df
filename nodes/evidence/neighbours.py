"""Raises the scores of short passages next to a good one in the same memory."""

from collections.abc import Mapping

from secondhop.nodes.evidence.rank import PassageScores
from secondhop.stores.records import Passage

NEIGHBOUR_SHARE = 0.4
"""Share of the better neighbour's score that a passage gains, for a passage of no length; longer
passages gain less."""

SELF_CONTAINED_TOKENS = 100
"""From this length on, passages speak for themselves and gain nothing."""


def with_neighbours(scores: Mapping[str, float], passages: Mapping[str, Passage]) -> PassageScores:
    """The scores plus the gain of short passages from a good neighbour.

    So a short reply is found by the words of what it replies to.
    """
    known = {passage_id: passages[passage_id] for passage_id in scores if passage_id in passages}
    places = {(p.memory_id, p.ordinal): scores[passage_id] for passage_id, p in known.items()}
    joined: PassageScores = {}
    for passage_id, own in known.items():
        beside = [places.get((own.memory_id, own.ordinal + step), 0.0) for step in (-1, 1)]
        need = max(0.0, 1 - own.tokens / SELF_CONTAINED_TOKENS)
        joined[passage_id] = scores[passage_id] + NEIGHBOUR_SHARE * need * max(beside)
    return joined
