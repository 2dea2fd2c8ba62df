"""One score for a question without a plan: the sum of what each search says about a memory.

The parts are z-scores over the candidates, so that an outstanding cosine counts as much as an
outstanding suggestion. The trace keeps them, and `explain` prints them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from secondhop.nodes.effort import MOSTLY_ANNOTATED
from secondhop.nodes.state import CueHits, FacetScore, Suggested
from secondhop.ranking.arrays import Floats, Mask, z_scores
from secondhop.ranking.cue_affinity import shared_undertaking, undertaking_weights
from secondhop.stores.cues import MOST_CUES

SIMILARITY, HYBRID, PLAYBOOKS = "similarity", "words and similarity", "playbooks"
CUES, BROAD_CUES = "cues", "broad cues"
UNDERTAKING = "shared undertaking"
NUMBER = "number of cues"
NAMED = "named"
"""Names of the parts, from `SIMILARITY` on: the cosine; the fused ranks of both searches; what
`suggest` found; the nearest specific cues; the nearest broad cue; the broad cue shared with the
best memories; the number of cues (a memory that serves many requests is likelier to serve this
one); whether the question names it.
"""

TEXT_WEIGHTS: Mapping[str, float] = {SIMILARITY: 0.75, HYBRID: 0.25}
"""Weights for memories without cues. Chosen on eight people and reported on three others:
docs/benchmarks.md."""

CUE_WEIGHTS: Mapping[str, float] = {SIMILARITY: 0.4, CUES: 0.8, BROAD_CUES: 0.8, NUMBER: 0.8}
"""Weights for memories with cues. Cues say more than the text, and playbooks add nothing to them.

Rounded from a listwise fit on fourteen people (docs/benchmarks.md)."""

USUAL: Mapping[str, tuple[float, float]] = {CUES: (0.27, 0.05), BROAD_CUES: (0.28, 0.075)}
"""(mean, standard deviation) over memories of the similarity of their cues to a question, as in
`CueHits`. Measured on four people."""

ALIKE = 0.5
"""Correlation of the scores of specific and broad cues: what one kind says of the other, for a
memory that has only one. Measured on fourteen people (9,570 memories and questions: 0.51)."""

NAMED_WEIGHT = 6.0
"""What is added for a memory that the question names (`naming.py`). Nearly as much as separates the
best memories from the worst, because cues were written without its name in view."""

UNDERTAKING_WEIGHT = 0.8
"""Weight of the undertaking that a memory shares with the best so far."""

LEAST_SHARED = 0.02
"""Least standard deviation of how strongly memories share an undertaking of the best. If it is
smaller, the best have none, and what the others share says nothing about the question."""

NAMING_WEIGHT = 0.25
"""How much the question's rare words count when the undertaking is chosen: a memory that names what
the question names tells what it is about. In the score itself they would crowd out memories that
the question does not name (docs/benchmarks.md)."""

PRIOR = 10
"""Number of memories that `USUAL` weighs as much as."""

OUTLIER = 3.0
"""Standard deviations above the usual mean from which a similarity counts no more for mean and
deviation. Without this, a cue in the question's own words makes all other cues look far."""

SPREAD = 1.5
"""Least standard deviation of the number of cues, so that one cue more is little even where all
memories have about as many. Over the memories of fourteen people it is 1.2 to 2.1."""

COUNTED = sum(MOST_CUES.values())
"""Most cues of a memory that count. If two writers wrote more, that says nothing about it."""

LOOKUP_WEIGHTS: Mapping[str, float] = {
    SIMILARITY: 0.75,
    HYBRID: 0.5,
    CUES: 1.0,
    BROAD_CUES: 0.5,
}
"""Weights for memories with cues in a look-up, whose words say more about what is wanted."""

PLAYBOOKS_WEIGHT = 0.8
"""Weight of the playbooks if they are sure of the question's intent. It is multiplied by their
confidence, so that a question that no playbook knows keeps the order of plain search."""

TEXT_LOGISTIC, CUES_LOGISTIC = (1.0, 2.7), (0.8, 3.6)
"""(slope, middle) of the logistic from the sum of the parts to the chance that the memory is
needed, for text alone and with cues. Fitted to the labels of eleven and of fourteen people."""


NEAREST_KEPT = 10
"""Memories at the top of the question's own ranking that `limit` never cuts."""

NOTHING_SUGGESTED = Suggested(
    memory_ids=[], scores=[], facet_ids=[], passage_ids=[], cosines=[], confidence=0.0
)


class CueCounts(NamedTuple):
    """How many cues a memory was stored with."""

    specific: int
    broad: int


NO_CUES = CueCounts(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blended:
    """A candidate's score with its parts."""

    score: float
    """0..1: the chance that the memory is needed."""
    parts: Mapping[str, float]
    """{name of the part: what it adds}; the score is a logistic of their sum."""
    undertaking: str = ""
    """The broad cue that it shares with the best memories, if that raises its score."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FacetRanking:
    """The memories that one facet found, best first."""

    fused: Mapping[str, float]
    """{memory id: reciprocal rank fusion score}."""
    dense: Mapping[str, float]
    """{memory id: best cosine}, for the same memories."""
    lexical: Mapping[str, float]
    """{memory id: best normalised BM25}, for the same memories."""
    score: Callable[[str], FacetScore]
    """The score of one memory. Computed on demand, because hardly any memory is returned."""


NOTHING_FOUND = FacetRanking(
    fused={}, dense={}, lexical={}, score=dict[str, FacetScore]().__getitem__
)


def blended(
    found: FacetRanking,
    *,
    suggested: Suggested | None = None,
    cued: CueHits | None = None,
    cue_counts: Mapping[str, CueCounts] = MappingProxyType({}),
    undertakings: Mapping[str, Collection[str]] = MappingProxyType({}),
    named: str = "",
    kept: Collection[str] = (),
    look_up: bool = False,
    limit: int | None = None,
) -> dict[str, Blended]:
    """{memory id: its blend}, best first, for all memories that were found or suggested.

    In a look-up, or if few memories have cues, a memory gets the higher of two sums: that of its
    cues, or that of its text and its playbooks. So its cues do not put it below its text.

    Args:
        cue_counts: for the memories that have cues.
        undertakings: {memory id: its broad cues}, for those that may share one.
        named: id of the memory that the question names. It counts if most memories have cues.
        limit: most memories to return, plus `kept` and the `NEAREST_KEPT` of the ranking; all are
            compared. None: return all.
    """
    suggested = suggested or NOTHING_SUGGESTED
    cue_weights = LOOKUP_WEIGHTS if look_up else CUE_WEIGHTS
    text_weights = {**TEXT_WEIGHTS, PLAYBOOKS: PLAYBOOKS_WEIGHT * suggested["confidence"]}
    ids = sorted({*found.fused, *suggested["memory_ids"]})
    has_cues = np.array([one in cue_counts for one in ids], dtype=np.bool_)
    most_have_cues = bool(has_cues.any()) and has_cues.mean() >= MOSTLY_ANNOTATED
    columns = text_columns(ids, found, suggested)
    if cued is not None:
        columns |= cue_columns(ids, cued, cue_counts)
    by_text = {name: text_weights.get(name, 0.0) * scores for name, scores in columns.items()}
    by_cues = {name: cue_weights.get(name, 0.0) * scores for name, scores in columns.items()}
    cues_count = has_cues
    if look_up or not most_have_cues:
        cues_count = has_cues & (sum_of(by_cues) >= sum_of(by_text))
    parts = {name: np.where(cues_count, by_cues[name], by_text[name]) for name in columns}
    shared: list[str] = []
    if undertakings and most_have_cues and not look_up:
        # the third power lets only memories stand out that have the rarest of the words
        said = np.array([found.lexical.get(one, 0.0) for one in ids]) ** 3
        lead = sum_of(parts) + NAMING_WEIGHT * z_scores(said)
        parts[UNDERTAKING], shared = undertaking_scores(lead, ids, undertakings)
    if named and most_have_cues and not look_up:
        parts[NAMED] = NAMED_WEIGHT * np.array([one == named for one in ids])
    total = sum_of(parts)
    slope, middle = CUES_LOGISTIC if most_have_cues else TEXT_LOGISTIC
    added = {name: values.tolist() for name, values in parts.items()}
    totals: list[float] = total.tolist()
    return {
        ids[row]: Blended(
            score=round(1 / (1 + exp(slope * (middle - totals[row]))), 4),
            parts={name: round(values[row], 3) for name, values in added.items()},
            undertaking=shared[row] if shared and added[UNDERTAKING][row] > 0 else "",
        )
        for row in best_rows(total, ids, {*kept, *islice(found.fused, NEAREST_KEPT)}, limit=limit)
    }


def text_columns(
    ids: Sequence[str], found: FacetRanking, suggested: Suggested
) -> dict[str, Floats]:
    """{part: [n] standard scores}, for the parts that come from texts and playbooks."""
    suggestions = dict(zip(suggested["memory_ids"], suggested["scores"], strict=True))
    cosines = dict(zip(suggested["memory_ids"], suggested["cosines"], strict=True))
    columns = {
        SIMILARITY: [found.dense[one] if one in found.dense else cosines[one] for one in ids],
        HYBRID: [found.fused.get(one, 0.0) for one in ids],
        PLAYBOOKS: [suggestions.get(one, 0.0) for one in ids],
    }
    return {name: z_scores(np.array(values)) for name, values in columns.items()}


def cue_columns(
    ids: Sequence[str], cued: CueHits, cue_counts: Mapping[str, CueCounts]
) -> dict[str, Floats]:
    """{part: [n] standard scores}, for the parts that come from cues; 0 without cues."""
    specific = dict(zip(cued["memory_ids"], cued["specific"], strict=True))
    broad = dict(zip(cued["memory_ids"], cued["broad"], strict=True))
    counts = [cue_counts.get(one, NO_CUES) for one in ids]
    has_specific = np.array([one.specific > 0 for one in counts], dtype=np.bool_)
    has_broad = np.array([one.broad > 0 for one in counts], dtype=np.bool_)
    has_cues = has_specific | has_broad
    totals = np.array([float(min(sum(one), COUNTED)) for one in counts])
    number = np.zeros(len(ids))
    if ids and has_cues.mean() >= MOSTLY_ANNOTATED:
        own = totals[has_cues]
        number[has_cues] = (own - own.mean()) / max(own.std(), SPREAD)
    near = cue_scores(ids, specific, has_specific, usual=USUAL[CUES])
    wide = cue_scores(ids, broad, has_broad, usual=USUAL[BROAD_CUES])
    return {
        CUES: np.where(has_broad & ~has_specific, ALIKE * wide, near),
        BROAD_CUES: np.where(has_specific & ~has_broad, ALIKE * near, wide),
        NUMBER: number,
    }


def best_rows(
    total: Floats, ids: Sequence[str], kept: Collection[str], *, limit: int | None
) -> list[int]:
    """Rows of the `limit` best sums, then those of the memories in `kept`.

    The top of the question's ranking is among these: it decides whether anything answers.
    """
    order: list[int] = np.argsort(-total, kind="stable").tolist()
    if limit is None:
        return order
    return [*order[:limit], *(row for row in order[limit:] if ids[row] in kept)]


def sum_of(parts: Mapping[str, Floats]) -> Floats:
    """[n]: the sum of each memory's parts."""
    return np.asarray(np.sum([*parts.values()], axis=0))


def undertaking_scores(
    total: Floats, ids: Sequence[str], undertakings: Mapping[str, Collection[str]]
) -> tuple[Floats, list[str]]:
    """([n] weighted z-scores, [n] the undertaking that each memory shares most).

    It is "" if no other memory has it.
    """
    own = [undertakings.get(one, ()) for one in ids]
    weights = undertaking_weights(total, own)
    shares = [shared_undertaking(weights, one) for one in own]
    strength = np.array([share for share, _ in shares])
    having = Counter(name for names in own for name in names)
    return UNDERTAKING_WEIGHT * z_scores(strength, least_spread=LEAST_SHARED), [
        name if having[name] > 1 else "" for _, name in shares
    ]


def cue_scores(
    ids: Sequence[str], found: Mapping[str, float], has_cues: Mask, *, usual: tuple[float, float]
) -> Floats:
    """[n]: z-scores among the memories with cues; 0 for memories without cues. One that the
    search did not find gets the lowest value found. `usual`: (mean, standard deviation) that
    count as much as `PRIOR` more memories, because those of a few say little."""
    least = min(found.values(), default=0.0)
    values = np.array([found.get(one, least) for one in ids])[has_cues]
    count = len(values) + PRIOR
    counted = np.minimum(values, usual[0] + OUTLIER * usual[1])
    mean = (counted.sum() + PRIOR * usual[0]) / count
    variance = (((counted - mean) ** 2).sum() + PRIOR * usual[1] ** 2) / count
    scores = np.zeros(len(ids))
    scores[has_cues] = (values - mean) / np.sqrt(variance)
    return scores
