"""How well a question fits the requests for which memories were stored.

A memory speaks by its two nearest specific cues and its nearest broad one. Compare doc2query
(Nogueira et al. 2019), whose queries a text answers; a cue is a request for which it matters.

And a second hop over broad cues: memories kept for what the best memories are kept for. A question
that names an appointment is near to the note of that appointment, and the note's broad cue
("prepare for a job interview") is shared by the memories that the question never mentions. This is
pseudo-relevance feedback with undertakings for words: RM1 of Lavrenko & Croft, SIGIR 2001.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.ranking.arrays import Floats, Indices, Mask, Vectors, unit_rows, z_scores

HUB_SHARE = 0.5
"""Of a cue's similarity to everyday questions that is taken from its similarity to the question:
what fits everything says little. (Half of CSLS; Conneau et al., ICLR 2018, arXiv:1710.04087.)"""

SPECIFIC = 2
"""Specific cues that count: one may be near by chance."""

BROAD_WEIGHT = 0.75
"""Weight of the nearest broad cue; that of the specific ones is 1."""


def bent_from(queries: Vectors, background: Vectors) -> tuple[Vectors, Floats]:
    """Vectors to search cues with, and the factors that give similarities back.

    The similarity of a cue c to a query q less a share of its similarity to the background b is
    (q - share b) · c: one search finds what is nearest so.

    Args:
        queries: float32 [n, dim], rows of unit length.
        background: float32 [1, dim], unit length: the mean of everyday questions.

    Returns:
        (float32 [n, dim], rows of unit length; [n], their lengths before).
    """
    moved = queries - HUB_SHARE * background
    return unit_rows(moved), np.linalg.norm(moved, axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CueAffinity:
    """Of memories to one question; columns of one length."""

    specific: Floats
    """Mean similarity of the two nearest specific cues."""
    broad: Floats
    """Similarity of the nearest broad cue."""
    nearest: Floats
    """Of the nearest specific cue."""
    best: Indices
    """Row of the cue that speaks most for the memory."""


def cue_affinity(
    owners: Indices, broad: Mask, scores: Floats, *, count: int, complete: bool
) -> CueAffinity:
    """The affinity of `count` memories, of the cues that a search found.

    A cue that was not found is taken for as near as the farthest that was. A memory that has no
    specific cue at all, or no broad one, stands in the middle of those that have.

    Args:
        owners: [n_cues], the memory of each, 0..count-1.
        broad: [n_cues].
        scores: [n_cues], similarities, the highest first.
        complete: these are all cues there are, so that a memory with one found has no other.
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
