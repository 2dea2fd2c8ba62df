"""How well a question fits the requests for which memories were stored.

A memory is judged by its two nearest specific cues and its nearest broad cue. Compare doc2query
(Nogueira et al. 2019): its queries are those that a text answers; a cue is a request for which the
memory matters.

Broad cues also allow a second hop, to memories that share a broad cue (an undertaking) with the
best memories. A question that names an appointment is near to the note of that appointment. The
note's broad cue ("prepare for a job interview") is shared by memories that the question never
mentions. This is pseudo-relevance feedback with undertakings instead of words: RM1 of Lavrenko &
Croft, SIGIR 2001.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask, Vectors, unit_rows, z_scores

HUB_SHARE = 0.5
"""Share of a cue's similarity to everyday questions that is subtracted from its similarity to the
question, because a cue that fits everything says little. (Half of CSLS; Conneau et al., ICLR 2018,
arXiv:1710.04087.)"""

SPECIFIC = 2
"""How many specific cues count; a single one may be near by chance."""

BROAD_WEIGHT = 0.75
"""Weight of the nearest broad cue; that of the specific ones is 1."""


def bent_from(queries: Vectors, background: Vectors) -> tuple[Vectors, Floats]:
    """(query vectors moved away from the background, their lengths before normalisation).

    The similarity of a cue c to a query q, minus a share of its similarity to the background b (the
    mean of everyday questions), is (q - share · b) · c. So one search with the moved vector ranks
    by this difference. A cosine found with a returned row, times its length, is the difference
    itself.
    """
    moved = queries - HUB_SHARE * background
    return unit_rows(moved), np.linalg.norm(moved, axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CueAffinity:
    """Affinity of memories to one question; each array is [n_memories]."""

    specific: Floats
    """Mean similarity of the two nearest specific cues."""
    broad: Floats
    """Similarity of the nearest broad cue."""
    nearest: Floats
    """Similarity of the nearest specific cue."""
    best: Indices
    """Row of the memory's nearest cue; -1 if none was found."""


def cue_affinity(
    owners: Indices, broad: Mask, scores: Floats, *, count: int, complete: bool
) -> CueAffinity:
    """The affinity of `count` memories, from the cues that a search found, highest score first.

    A cue that was not found counts as near as the farthest one found. If the search is complete (it
    found every cue there is), a memory without specific (or broad) cues gets the mean of the
    memories that have some, and a single specific cue counts as both. `owners`: the memory of each
    cue.
    """
    least = float(scores.min()) if len(scores) else 0.0
    specific = np.full((count, SPECIFIC), least)
    broadest = np.full(count, least)
    best = np.full(count, -1, dtype=np.intp)
    taken = np.zeros(count, dtype=np.intp)
    for row, (owner, is_broad, score) in enumerate(
        zip(owners.tolist(), broad.tolist(), scores.tolist(), strict=True)
    ):
        if best[owner] < 0:
            best[owner] = row
        if is_broad:
            broadest[owner] = max(broadest[owner], score)
        elif taken[owner] < SPECIFIC:
            specific[owner, taken[owner]] = score
            taken[owner] += 1
    nearest = specific[:, 0].copy()
    if complete:
        specific[taken == 1, 1:] = specific[taken == 1, :1]
        special = taken > 0
        specific[~special] = (specific[special] if special.any() else broadest).mean()
        general = np.isin(np.arange(count), owners[broad])
        broadest[~general] = (broadest[general] if general.any() else specific).mean()
    return CueAffinity(specific=specific.mean(axis=1), broad=broadest, nearest=nearest, best=best)


TEMPERATURE = 0.5
"""Of the softmax over standard scores; so low that only the first few memories decide."""


def undertaking_weights(
    totals: Floats, undertakings: Sequence[Collection[str]]
) -> Mapping[str, float]:
    """{undertaking: how strongly the best memories point to it}. A memory's weight is the
    softmax of its score so far; each of its n undertakings (broad cues) gets weight / sqrt(n)."""
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
    """(strength, the memory's undertaking with the highest weight); (0, "") if it has none.

    The weight is divided by the square root of the number of undertakings, because a memory with
    many is kept less for each.
    """
    if not own:
        return 0.0, ""
    best = max(sorted(own), key=lambda one: weights.get(one, 0.0))
    return weights.get(best, 0.0) / len(own) ** 0.5, best
