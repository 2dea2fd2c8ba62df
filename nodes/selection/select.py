"""Fills the slots: facets share them in proportion, repetitions come last, losers get a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.relevance import SERVES_AS_WELL
from secondhop.nodes.state import Facet, Pick
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_select import FacetPick, facet_select
from secondhop.ranking.mmr import mmr_select

SAID_BY_PICKS = 0.55
"""A candidate waits if picked candidates already say more than this share of its evidence."""

MMR_LAMBDA = 0.5
"""Weight of relevance against novelty; 1: relevance alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A candidate without a slot."""

    memory_id: str
    place: int
    """Its place if there were more slots, from 1."""
    beaten_by: str | None
    """The memory with the last slot."""
    close_to: str | None
    """The memory ahead that says most of the same, if that is why the candidate lost; else None."""
    chosen: bool
    """Whether it was voted for, so that only the order of votes kept it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The picks, best first, and the losers in the order in which they would follow."""

    picks: list[Pick]
    losers: list[Loser]
    close_to: Mapping[str, str]
    """{memory id: the memory ahead that says most of the same}, for those that came last for it."""


def select(
    pool: Pool,
    relevance: Floats,
    facets: Mapping[str, Facet],
    *,
    k: int,
    settings: RankingSettings,
    led: Sequence[str] = (),
    kept: Sequence[str] = (),
    order: Sequence[str] | None = None,
    close_to: Mapping[str, str] = MappingProxyType({}),
) -> Selection:
    """Share `k` slots among the candidates that serve some facet; the others do not take part.

    The selection is greedy: a larger k keeps the same first picks, and losers are listed in the
    order in which they would get further slots.

    Args:
        led: memories that the critic put first, in that order; they are not ranked again.
        kept: memories that stay, in that order, before all others. With a plan, what they say and
            which facets they serve counts against later candidates.
        order: ids of all that take part, best first. Without it, facets share the slots, and a
            loser lost by repetition if the picks say more of it than `SAID_BY_PICKS`.
        close_to: {memory id: the one ahead that says most of it}, for those that come last in
            `order`.
    """
    best = relevance.max(axis=1, initial=0.0)
    part_of = [pool.ids[row] for row in np.flatnonzero(best > 0).tolist()]
    if order is not None:
        part_of = order = [*dict.fromkeys((*order, *kept, *led))]
    if not part_of:
        return Selection(picks=[], losers=[], close_to={})
    rows = sorted(pool.rows[one] for one in part_of)
    places = {pool.ids[row]: place for place, row in enumerate(rows)}
    coverage = None
    if order is None:
        coverage = repetition_among(pool, rows)
        weights = np.array([facets[facet_id]["weight"] for facet_id in pool.facet_ids])
        first = [places[memory_id] for memory_id in kept if memory_id in places]
        ranked = ordered(relevance[rows], weights, coverage, settings=settings, first=first)
    else:
        ranked = [FacetPick(places[one], None, float(best[rows[places[one]]])) for one in order]
    front = [*kept, *(memory_id for memory_id in led if memory_id not in kept)]
    if front:
        ranked = in_lead(ranked, [pool.ids[row] for row in rows], front)
    ids = [pool.ids[rows[p.index]] for p in ranked]
    serves_best: list[int] = relevance[[rows[p.index] for p in ranked[:k]]].argmax(axis=1).tolist()
    picks = [
        Pick(memory_id=one, facet_id=pool.facet_ids[p.facet if p.facet is not None else best_of])
        for one, p, best_of in zip(ids, ranked[:k], serves_best, strict=False)
    ]
    if coverage is not None:
        close_to = said_by_picks(ids, ranked, coverage=coverage, k=k)
    close_to = {one: other for one, other in close_to.items() if one not in front}
    losers = [
        Loser(
            memory_id=one,
            place=place,
            beaten_by=ids[k - 1],
            close_to=close_to.get(one),
            chosen=one in front,
        )
        for place, one in enumerate(ids[k:], start=k + 1)
    ]
    return Selection(picks=picks, losers=losers, close_to=close_to)


def in_lead(order: Sequence[FacetPick], ids: Sequence[str], led: Sequence[str]) -> list[FacetPick]:
    """The order with the candidates of `led` moved to the front, without a facet of their own."""
    places = {memory_id: place for place, memory_id in enumerate(led)}
    front = [FacetPick(one.index, None, one.gain) for one in order if ids[one.index] in places]
    front.sort(key=lambda one: places[ids[one.index]])
    return front + [one for one in order if ids[one.index] not in places]


def ordered(
    facet_relevance: Floats,
    weights: Floats,
    coverage: Coverage,
    *,
    settings: RankingSettings,
    first: Sequence[int] = (),
) -> list[FacetPick]:
    """All candidates in the order in which they would get slots.

    With `facets`, `first` comes before all others and counts as picked. `mmr` and `none` ignore
    `first`; the caller moves it to the front.
    """
    if settings.diversity == "facets":
        return facet_select(
            facet_relevance,
            weights,
            k=len(facet_relevance),
            coverage=coverage,
            duplicate_at=SAID_BY_PICKS,
            first=first,
        )
    scores = facet_relevance.max(axis=1)
    if settings.diversity == "mmr":
        rows = mmr_select(scores, coverage.matrix(), k=len(scores), lambda_=MMR_LAMBDA)
    else:
        rows = np.argsort(-scores, kind="stable").tolist()
    return [FacetPick(int(row), None, float(scores[row])) for row in rows]


def repetition_among(pool: Pool, rows: Sequence[int]) -> Coverage:
    """How much of each candidate's evidence the others say; `rows` are theirs in the pool.

    A candidate counts as repeated only by candidates that serve its best facet nearly as well: a
    résumé says most of what a list of achievements says, but does not answer a question for the
    achievements.
    """
    said, relevance = pool.coverage(rows), pool.relevance[rows]
    best = relevance.argmax(axis=1)
    stands_in = SERVES_AS_WELL * relevance.max(axis=1)[:, np.newaxis] <= relevance[:, best].T
    return Coverage(said.units * stands_in[said.owner], said.owner)


def said_by_picks(
    ids: Sequence[str], order: Sequence[FacetPick], *, coverage: Coverage, k: int
) -> dict[str, str]:
    """{memory id: the pick that says most of it}, for candidates after the first `k` of which the
    picks say more than `SAID_BY_PICKS`; `ids` are the memory ids of `order`."""
    if len(order) <= k:
        return {}
    picked = [pick.index for pick in order[:k]]
    alone = np.stack([coverage.of_candidates(coverage.units[:, pick]) for pick in picked], axis=1)
    tellers: list[int] = alone.argmax(axis=1).tolist()
    together: list[float] = coverage.of_candidates(coverage.units[:, picked].max(axis=1)).tolist()
    return {
        ids[place]: ids[tellers[one.index]]
        for place, one in enumerate(order[k:], start=k)
        if together[one.index] > SAID_BY_PICKS
    }
