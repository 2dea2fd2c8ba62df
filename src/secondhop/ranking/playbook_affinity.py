"""How likely each intent is, and how well memories serve its facets, in one pass without a plan."""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, z_scores

TEMPERATURE = 0.03
"""Of the softmax over intents; about how much cosines of questions with one intent differ."""

HUB_SHARE = 0.5
"""Share of a memory's similarity to all kinds of questions that is subtracted from its affinity."""


def intent_weights(ask_cosines: Floats, owners: Indices, name_cosines: Floats) -> Floats:
    """[n_intents], sum 1: how likely the question has each intent.

    It is a softmax over: mean cosine of the intent's two nearest example questions + half the
    cosine of its name. `owners`: the intent of each example question; every intent has at least
    one.
    """
    near = mean_of_two_best(ask_cosines, owners, count=len(name_cosines)) + 0.5 * name_cosines
    weights = np.exp((near - near.max(initial=-1.0)) / TEMPERATURE)
    return np.asarray(weights / max(weights.sum(), 1e-12), dtype=np.float64)


def mean_of_two_best(scores: Floats, owners: Indices, *, count: int) -> Floats:
    """[count]: the mean of each owner's two highest scores, or its only score."""
    ranked = np.lexsort((-scores, owners))
    starts = np.searchsorted(owners[ranked], np.arange(count))
    seconds = np.minimum(starts + 1, len(ranked) - 1)
    first, second = scores[ranked[starts]], scores[ranked[seconds]]
    alone = owners[ranked[seconds]] != np.arange(count)
    return np.asarray((first + np.where(alone, first, second)) / 2, dtype=np.float64)


def facet_affinity(cosines: Floats, hub_cosines: Floats) -> Floats:
    """[n_facets, n_memories], >= 0: how much better a memory serves a facet than the others do.

    It is the z-score of the cosine of the memory's best passage over all memories, minus
    `HUB_SHARE` times its z-score of similarity to the mean of all questions (`hub_cosines`). A
    memory that is similar to everything gains little by being similar to a facet.
    """
    return np.maximum(z_scores(cosines) - HUB_SHARE * z_scores(hub_cosines), 0.0)


def facet_shares(affinity: Floats, weights: Floats) -> Floats:
    """[n_facets, n_memories]: what each facet adds to a memory's score; their sum is the score.

    The affinity is squared, so that a memory that serves one facet well comes before one that
    serves several a little.
    """
    return np.asarray(weights[:, np.newaxis] * affinity**2, dtype=np.float64)
