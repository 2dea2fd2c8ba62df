"""Fits the scale of an embedding model's cosines on labelled pairs of query and memory.

The pairs are those that a recall sees: a query with the memories that its vector finds, down to the
depth of a recall. A memory has the cosine of its best passage. Memories labelled as stale are left
out, because a cosine does not show whether a memory still holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from secondhop.errors import UsageError
from secondhop.evals.baselines import best_passages
from secondhop.evals.measures import group_of
from secondhop.evals.scenario import Question
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.planning.follow_up import with_subject
from secondhop.nodes.retrieve import PASSAGES_A_MEMORY
from secondhop.nodes.selection.scale_file import scale_document
from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.stores.protocols import MemorySearch

DEPTH_FACTOR = RankingSettings().depth_factor
"""Memories that a query finds, as a multiple of k."""

ESSENTIAL = 3
"""The grade that counts as relevant; the shipped scale was fitted with it, too."""

SHARE = 0.3
"""Share of the total weight that relevant pairs get, regardless of their number.

The share of found memories that are relevant depends on the size of the store and on the depth of
the search. A probability based on it would mean something different in every store. With 0.3 the
default `min_score` keeps its meaning.
"""

PENALTY = 1e-3
"""Penalty on the squared slope, with cosines in standard deviations. It keeps the slope finite if
the cosine separates the labels perfectly."""


class Pair(NamedTuple):
    """One query and one memory that it found."""

    cosine: float
    relevant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedScale:
    """A scale, and what it was fitted on."""

    embedder_id: str
    scenarios: Sequence[str]
    pairs: int
    relevant: int
    """Pairs with a relevant memory."""
    calibration: LogisticCalibration

    def document(self) -> dict[str, Any]:
        """The scale file, as `--json` prints it."""
        made_of = {"on": [*self.scenarios], "pairs": self.pairs, "relevant": self.relevant}
        return scale_document(self.calibration, embedder_id=self.embedder_id, fitted=made_of)


async def pairs_of(
    questions: Sequence[Question], *, search: MemorySearch, embedder: Embedder
) -> list[Pair]:
    """The pairs of every question and of every facet (its name as the query), in order."""
    pairs: list[Pair] = []
    for question in questions:
        queries = list(essential_for(question))
        vectors = await embedder.embed_queries([text for text, _ in queries])
        depth = question.k * DEPTH_FACTOR
        for (_, essential), vector in zip(queries, vectors, strict=True):
            (hits,) = await search.dense(vector[None, :], k=depth * PASSAGES_A_MEMORY)
            pairs += [
                Pair(hit.score, hit.memory_id in essential)
                for hit in best_passages(hits)[:depth]
                if hit.memory_id not in question.stale
            ]
    return pairs


def essential_for(question: Question) -> Iterator[tuple[str, set[str]]]:
    """(query text, its essential memories): the question with those of all facets, then each facet.

    A memory that says the same as an essential one is essential, too.
    """
    groups = group_of(question)
    whole: set[str] = set()
    queries = [(with_subject(question.query, question.earlier), whole)]
    for facet in question.facets:
        own = {one for one, grade in facet.relevant.items() if grade >= ESSENTIAL}
        repeated = {groups[one] for one in own if one in groups}
        own |= {one for one, group in groups.items() if group in repeated}
        whole |= own
        queries.append((facet.name, own))
    yield from queries


def fitted_scale(
    pairs: Sequence[Pair], *, embedder_id: str, scenarios: Sequence[str]
) -> FittedScale:
    """A logistic curve through all pairs.

    Raises:
        UsageError: the labels are all the same, or a higher cosine is not more often relevant.
    """
    cosines = np.array([pair.cosine for pair in pairs])
    labels = np.array([pair.relevant for pair in pairs], dtype=np.float64)
    return FittedScale(
        embedder_id=embedder_id,
        scenarios=scenarios,
        pairs=len(pairs),
        relevant=int(labels.sum()),
        calibration=fitted(cosines, labels),
    )


def fitted(cosines: Floats, labels: Floats) -> LogisticCalibration:
    """The logistic fit, with the odds scaled as if SHARE of the pairs were relevant.

    Sources: Platt, in: Advances in Large Margin Classifiers, 1999; King and Zeng, Political
    Analysis 9, 2001, doi:10.1093/oxfordjournals.pan.a004868.
    """
    relevant = float(labels.mean()) if len(labels) else 0.0
    if not 0 < relevant < 1:
        raise UsageError(
            f"calibrating needs essential memories (grade {ESSENTIAL}) and others, but "
            f"{int(labels.sum())} of {len(labels)} pairs are essential; add labelled questions"
        )
    slope, intercept = most_likely(cosines, labels)
    if slope <= 0:
        raise UsageError(
            "more similar memories are not more often relevant here, so a cosine says nothing; "
            "check the labels and the embedding model, or add labelled questions"
        )
    factor = SHARE / (1 - SHARE) * (1 - relevant) / relevant
    return LogisticCalibration(slope, intercept + float(np.log(factor)))


def most_likely(cosines: Floats, labels: Floats) -> tuple[float, float]:
    """(slope, intercept) that maximise the mean log-likelihood minus PENALTY/2 times the squared
    slope."""
    import scipy.optimize

    optimize: Any = scipy.optimize  # its types are incomplete
    middle, spread = float(cosines.mean()), float(cosines.std()) or 1.0
    x = (cosines - middle) / spread

    def loss(line: Floats) -> float:
        logits = line[0] * x + line[1]
        unlikely = np.logaddexp(0.0, logits) - labels * logits
        return float(unlikely.mean() + PENALTY / 2 * line[0] ** 2)

    slope, intercept = optimize.minimize(loss, np.zeros(2), method="BFGS").x
    return float(slope / spread), float(intercept - slope * middle / spread)
