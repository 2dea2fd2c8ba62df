"""How likely each intent is, and how well memories serve its facets: one pass, no plan."""

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, z_scores

TEMPERATURE = 0.03
"""Of the softmax over intents. Cosines of questions of one intent differ by about as much."""

HUB_SHARE = 0.5
"""Share of a memory's similarity to questions of all kinds that its affinity to a facet loses."""


def intent_weights(ask_cosines: Floats, owners: Indices, name_cosines: Floats) -> Floats:
    """[n_intents], adding up to 1: how likely the question has each intent.

    The softmax of the mean of an intent's two nearest example questions and half the cosine of
    its name.

    Args:
        ask_cosines: [n_asks], of the question to the example questions.
        owners: [n_asks], the intent of each example question; every intent has one or more.
        name_cosines: [n_intents], of the question to the intents' names.
    """
    near = mean_of_two_best(ask_cosines, owners, count=len(name_cosines)) + 0.5 * name_cosines
    weights = np.exp((near - near.max(initial=-1.0)) / TEMPERATURE)
    return np.asarray(weights / max(weights.sum(), 1e-12), dtype=np.float64)


def mean_of_two_best(scores: Floats, owners: Indices, *, count: int) -> Floats:
    """[count]: the mean of each owner's two highest scores; the only one where there is one."""
    ranked = np.lexsort((-scores, owners))
    starts = np.searchsorted(owners[ranked], np.arange(count))
    seconds = np.minimum(starts + 1, len(ranked) - 1)
    first, second = scores[ranked[starts]], scores[ranked[seconds]]
    alone = owners[ranked[seconds]] != np.arange(count)
    return np.asarray((first + np.where(alone, first, second)) / 2, dtype=np.float64)


def facet_affinity(cosines: Floats, hub_cosines: Floats) -> Floats:
    """[n_facets, n_memories], >= 0: how much more a memory serves a facet than others do.

    z-scores over the memories, less `HUB_SHARE` of a memory's own z-score of similarity to
    questions of all kinds: a memory that is similar to everything says little by being similar to a
    facet.

    Args:
        cosines: [n_facets, n_memories], of each memory's best passage to the facet.
        hub_cosines: [n_memories], of each memory's best passage to the mean of all questions.
    """
    return np.maximum(z_scores(cosines) - HUB_SHARE * z_scores(hub_cosines), 0.0)


def facet_shares(affinity: Floats, weights: Floats) -> Floats:
    """[n_facets, n_memories]: what each facet adds to a memory's score; their sum is the score.

    The square lets what one facet wants much come before what several want a little.
    """
    return np.asarray(weights[:, np.newaxis] * affinity**2, dtype=np.float64)
