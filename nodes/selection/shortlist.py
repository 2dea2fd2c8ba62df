"""Draws the critic's shortlist: facets take turns by weight, and repetitions stay off."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.relevance import last_votes
from secondhop.nodes.state import RecallState
from secondhop.ranking.votes import SUPPRESSED

ASKED_BY_CRITIC = frozenset({"evidence", "uncovered"})
"""Origins of queries that the critic asked for."""

SAID_ALREADY = 0.7
"""A candidate stays off if one on the list says more than this share of its evidence."""

SAID_BY_ONE = 0.6
"""The critic gets a hint if another memory says at least this share of a memory's evidence. Of 52
such hints on labelled shortlists 46 were right; of 19 at a share of 0.5 to 0.6 none was."""

DAMPING = 20
"""`k` of the reciprocal rank fusion (Cormack et al., SIGIR 2009) of a facet's two orders."""


def draw_shortlist(
    pool: Pool, state: RecallState, *, first: Iterable[str], limit: int
) -> list[str]:
    """At most `limit` ids: `first`, then the facets' best in turn, then the rest, best first.

    Memories that were voted out stay off. Memories that were voted for come again, so that the
    critic can compare.
    """
    votes = last_votes(state)
    out = {memory_id for memory_id, vote in votes.items() if vote["vote"] in SUPPRESSED}
    rows = {memory_id: row for row, memory_id in enumerate(pool.ids) if memory_id not in out}
    leading = list(dict.fromkeys(memory_id for memory_id in first if memory_id in rows))
    turns = in_turn(standings(pool, state), turn_weights(pool.facet_ids, state))
    order = list(dict.fromkeys([*leading, *(one for one in turns if one in rows)]))
    compared = 0
    drawn = leading
    while len(drawn) < limit and compared < len(order):
        compared += len(leading) + limit
        drawn = without_repeats(order[:compared], pool, kept={*leading, *votes})
    return list(dict.fromkeys([*drawn, *rows]))[:limit]


def without_repeats(order: Sequence[str], pool: Pool, *, kept: Collection[str]) -> list[str]:
    """The order without memories that repeat one ahead; a new version of one ahead stays. `kept`:
    ids that always stay."""
    said = said_by_others(pool, order)
    drawn: list[str] = []
    for memory_id in order:
        news = any(pool.replaced_by.get(other) == memory_id for other in drawn)
        told = max([said[memory_id][other] for other in drawn], default=0.0)
        if news or memory_id in kept or told <= SAID_ALREADY:
            drawn.append(memory_id)
    return drawn


def said_by_others(pool: Pool, memory_ids: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
    """{memory id: {other id: share of the memory's evidence that the other says}}."""
    rows = sorted(pool.rows[one] for one in memory_ids)
    ids = [pool.ids[row] for row in rows]
    matrix = pool.coverage(rows).matrix().tolist()
    return {one: dict(zip(ids, said, strict=True)) for one, said in zip(ids, matrix, strict=True)}


def repeated(pool: Pool, shortlist: Iterable[str]) -> dict[str, str]:
    """{memory id: the other on the shortlist that says most of it}, from `SAID_BY_ONE` of it on."""
    found: dict[str, str] = {}
    for memory_id, said in said_by_others(pool, shortlist).items():
        share, other = max(
            ((share, one) for one, share in said.items() if one != memory_id),
            key=lambda pair: pair[0],
            default=(0.0, ""),
        )
        if share >= SAID_BY_ONE:
            found[memory_id] = other
    return found


def turn_weights(facet_ids: Sequence[str], state: RecallState) -> list[float]:
    """The facets' weights, where those that the critic has just asked for have at least half of
    the total."""
    weights = {facet_id: state["facets"][facet_id]["weight"] for facet_id in facet_ids}
    sought = {
        query["facet_id"]
        for query in state.get("queries", {}).values()
        if query["origin"] in ASKED_BY_CRITIC and query["round"] == state["round"]
    } & weights.keys()
    others = sum(weights[facet_id] for facet_id in weights.keys() - sought)
    if sought and others:
        share = others / sum(weights[facet_id] for facet_id in sought)
        weights |= {facet_id: weights[facet_id] * max(1.0, share) for facet_id in sought}
    return [weights[facet_id] for facet_id in facet_ids]


def standings(pool: Pool, state: RecallState) -> list[list[str]]:
    """[facet][place]: ids of its candidates by fused rank and calibrated relevance, best first.

    Each order knows something that the other does not, so their ranks are fused. Nothing is cut
    off, because the critic may like a candidate that lies below every threshold.
    """
    facets: list[list[str]] = []
    for column, facet_id in enumerate(pool.facet_ids):
        relevance = pool.relevance[:, column]
        rows: list[int] = np.flatnonzero(relevance > 0).tolist()
        fused = np.array(
            [state["candidates"][pool.ids[row]]["scores"][facet_id]["rank"] for row in rows]
        )
        by_relevance = np.argsort(np.argsort(-relevance[rows], kind="stable")) + 1
        scores = 1 / (DAMPING + fused) + 1 / (DAMPING + by_relevance)
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        facets.append([pool.ids[rows[place]] for place in order])
    return facets


def in_turn(facets: Sequence[Sequence[str]], weights: Sequence[float]) -> Iterator[str]:
    """Every candidate once; the facets take turns in proportion to their weights.

    The quotients are Sainte-Laguë's, as in PM-2 (Dang & Croft, SIGIR 2012,
    doi:10.1145/2348283.2348296), so that a heavier facet does not crowd out others.
    """
    seen: set[str] = set()
    turns = [0] * len(facets)
    left = [list(reversed(own)) for own in facets]
    while waiting := [column for column, own in enumerate(left) if own]:
        column = max(waiting, key=lambda c: (weights[c] / (2 * turns[c] + 1), -c))
        memory_id = left[column].pop()
        if memory_id not in seen:
            seen.add(memory_id)
            turns[column] += 1
            yield memory_id
