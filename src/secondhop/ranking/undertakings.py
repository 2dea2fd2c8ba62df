"""A second hop over cues: memories that share a broad cue with the best memories.

A question that names an appointment is near to the note of that appointment, and the note's broad
cue ("prepare for a job interview") is shared by the memories that the question never mentions.
This is pseudo-relevance feedback with undertakings for words: RM1 of Lavrenko & Croft, SIGIR 2001.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from secondhop.ranking.arrays import Floats, z_scores

TEMPERATURE = 0.5
"""Of the softmax over standard scores: the first few memories say what is being undertaken."""


def undertaking_weights(
    totals: Floats, undertakings: Sequence[Collection[str]]
) -> Mapping[str, float]:
    """{undertaking: how much of the best memories is kept for it}.

    Args:
        totals: [n], scores of memories so far.
        undertakings: broad cues of each.
    """
    if not len(totals):
        return {}
    standard = z_scores(totals) / TEMPERATURE
    chances = np.exp(standard - standard.max())
    weights: dict[str, float] = {}
    for chance, own in zip((chances / chances.sum()).tolist(), undertakings, strict=True):
        for one in own:
            weights[one] = weights.get(one, 0.0) + chance / len(own) ** 0.5
    return weights


def shared_undertaking(weights: Mapping[str, float], own: Collection[str]) -> tuple[float, str]:
    """(how much a memory shares, the undertaking that it shares most); (0, "") without one.

    A memory that is kept for many things is kept less for each.
    """
    if not own:
        return 0.0, ""
    best = max(sorted(own), key=lambda one: weights.get(one, 0.0))
    return weights.get(best, 0.0) / len(own) ** 0.5, best
