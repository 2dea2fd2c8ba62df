"""Which candidates get the slots: facets in proportion, repetition last, every loser told why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from secondhop.nodes.pool import Pool
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import Facet, Pick
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPick, FacetPool
from secondhop.ranking.facet_select import FacetSelectSettings, facet_select
from secondhop.ranking.greedy import Repetition
from secondhop.ranking.mmr import mmr_select_by_matrix
from secondhop.ranking.pm2 import pm2_select
from secondhop.ranking.redundancy import REDUNDANCY
from secondhop.ranking.xquad import xquad_select

XQUAD_LAMBDA = 0.9
"""Share of the facets in the gain; the rest is relevance to the question as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A candidate without a slot."""

    memory_id: str
    place: int
    """Where it would stand if more slots were given, from 1."""
    beaten_by: str | None
    repeats: str | None
    """The pick that already says most of it, when that is what keeps it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Picks in order, then the losers in the order in which they would follow."""

    picks: list[Pick]
    losers: list[Loser]


def select(
    pool: Pool,
    relevance: Floats,
    facets: Mapping[str, Facet],
    *,
    k: int,
    settings: RankingSettings,
) -> Selection:
    """Share `k` slots among the candidates that serve some facet; the others do not take part.

    Greedy, so the first k of a longer selection are the same: the order of the losers is the
    order in which they would be admitted if k grew.
    """
    rows = [row for row in range(len(pool.ids)) if relevance[row].max(initial=0.0) > 0]
    if not rows:
        return Selection(picks=[], losers=[])
    weights = np.array([facets[facet_id]["weight"] for facet_id in pool.facet_ids])
    part = FacetPool(facet_relevance=relevance[rows], weights=weights)
    coverage = repetition_among(pool, rows, settings=settings)
    order = ordered(part, coverage, settings=settings)
    picks = [
        Pick(
            memory_id=pool.ids[rows[p.index]],
            facet_id=main_facet(pool, relevance[rows[p.index]], p),
        )
        for p in order[:k]
    ]
    losers = [
        loser(pool, rows, order, place, coverage=coverage, k=k, settings=settings)
        for place in range(k, len(order))
    ]
    return Selection(picks=picks, losers=losers)


def ordered(part: FacetPool, coverage: Coverage, *, settings: RankingSettings) -> list[FacetPick]:
    """All candidates in the order in which they would get slots."""
    repetition = Repetition(coverage=coverage, weight=1.0, duplicate_at=settings.redundancy_limit)
    if settings.diversity == "facets":
        chosen = FacetSelectSettings(
            scheme="xquad",
            lambda_=XQUAD_LAMBDA,
            closing=settings.facet_closing,
            duplicate_at=settings.redundancy_limit,
        )
        return list(facet_select(part, k=part.size, coverage=coverage, settings=chosen).picks)
    if settings.diversity == "xquad":
        return xquad_select(part, k=part.size, lambda_=XQUAD_LAMBDA, repetition=repetition)
    if settings.diversity == "pm2":
        return pm2_select(part, k=part.size, repetition=repetition)
    scores = part.facet_relevance.max(axis=1)
    if settings.diversity == "mmr":
        rows = mmr_select_by_matrix(
            scores, coverage.matrix(), k=part.size, lambda_=settings.mmr_lambda
        )
    else:
        rows = np.argsort(-scores, kind="stable").tolist()
    return [FacetPick(int(row), None, float(scores[row])) for row in rows]


def repetition_among(pool: Pool, rows: Sequence[int], *, settings: RankingSettings) -> Coverage:
    """How much the candidates repeat one another, by the measure of the settings."""
    if settings.redundancy == "evidence":
        return pool.coverage(rows)
    return Coverage.from_matrix(REDUNDANCY[settings.redundancy](pool.part(rows)))


def main_facet(pool: Pool, relevance: Floats, pick: FacetPick) -> str:
    """The facet that a pick was made for; the one it serves best when selection named none."""
    column = pick.facet if pick.facet is not None else int(relevance.argmax())
    return pool.facet_ids[column]


def loser(
    pool: Pool,
    rows: Sequence[int],
    order: Sequence[FacetPick],
    place: int,
    *,
    coverage: Coverage,
    k: int,
    settings: RankingSettings,
) -> Loser:
    """Why the candidate at `place` (from 0) of the order came after the first k."""
    index = order[place].index
    picked = [pick.index for pick in order[:k]]
    alone = [float(coverage.of_candidates(coverage.units[:, other])[index]) for other in picked]
    together = float(coverage.of_candidates(coverage.units[:, picked].max(axis=1))[index])
    repeated = together > settings.redundancy_limit
    teller = pool.ids[rows[picked[int(np.argmax(alone))]]]
    return Loser(
        memory_id=pool.ids[rows[index]],
        place=place + 1,
        beaten_by=pool.ids[rows[picked[-1]]],
        repeats=teller if repeated else None,
    )
