"""Fills the slots of a question without a plan: the best score first.

A look-up keeps the order of hybrid search where few memories have cues. Facts that the question
names come first. What something newer replaces, or what hardly says anything new, moves behind the
rest.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from secondhop.nodes.effort import MOSTLY, is_unplanned
from secondhop.nodes.planning.fact_lookup import OWN_FACET
from secondhop.nodes.planning.question_kind import LOOKUPS
from secondhop.nodes.selection.eligibility import CUES_ANSWER, nearest_cue
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.select import repetition_among
from secondhop.nodes.state import DIRECT, FACT_NAMED, RecallState
from secondhop.ranking.arrays import Floats

REPEATS = 0.25
"""Share of a memory's evidence that those ahead of it already say, above which it comes last."""

COPIES = 0.8
"""The same for a look-up. Higher: sessions of one conversation all sound alike."""


SPARE = 16
"""More than are shown, so that hardly ever a second comparison is needed."""


SlotRule = Literal["facets", "hybrid ranks", "relevance", "score"]


def slot_rule(state: RecallState) -> SlotRule:
    """Which number of a memory decides whether it gets a slot; the trace keeps it."""
    if not is_unplanned(state):
        return "facets"
    if not is_text_look_up(state):
        return "score"
    return "relevance" if asks_several(state) else "hybrid ranks"


def is_text_look_up(state: RecallState) -> bool:
    """Whether words decide: a look-up where few memories have cues, and none was stored for it."""
    few_cues = state.get("annotated", 0.0) < MOSTLY
    return state["kind"] in LOOKUPS and few_cues and nearest_cue(state) < CUES_ANSWER


def repeats_at(state: RecallState) -> float:
    """Share of a memory that those ahead of it must say for it to come last."""
    return COPIES if is_text_look_up(state) else REPEATS


def unplanned_order(
    pool: Pool,
    relevance: Floats,
    factors: Floats,
    state: RecallState,
    *,
    wanted: int,
) -> Sequence[str]:
    """Ids of the best that may be returned, the best first.

    Args:
        relevance: [n_candidates, n_facets], as votes, suspicions and factors leave it.
        factors: [n_candidates, n_facets], without suspicions.
        wanted: how many are shown at most; there are more, if there are.
    """
    if is_text_look_up(state):
        order = lookup_order(pool, relevance, factors, state)
    else:
        best: list[float] = relevance.max(axis=1, initial=0.0).tolist()
        scores = {one: score for one, score in zip(pool.ids, best, strict=True) if score > 0}
        order = named_first(sorted(scores, key=lambda one: -scores[one]), state)
    order = outdated_last(order, pool)
    return copies_last(order, pool, limit=repeats_at(state), wanted=wanted)


def lookup_order(
    pool: Pool,
    relevance: Floats,
    factors: Floats,
    state: RecallState,
) -> Sequence[str]:
    """What the question itself finds and was not voted out, the likeliest answer first.

    Args:
        relevance: [n_candidates, n_facets]; 0 in every facet for what may not be returned.
        factors: [n_candidates, n_facets], what votes and the memory itself make of relevance.
    """
    if DIRECT not in pool.facet_ids:
        return []
    column = list(pool.facet_ids).index(DIRECT)
    allowed = relevance.max(axis=1, initial=0.0) > 0
    measure: Literal["relevance", "fused"] = "relevance" if asks_several(state) else "fused"
    found = {
        pool.ids[row]: pool.candidates[pool.ids[row]]["scores"][DIRECT][measure]
        * float(factors[row, column])
        for row in np.flatnonzero(allowed & (pool.relevance[:, column] > 0)).tolist()
    }
    kept = {one for one, may in zip(pool.ids, allowed.tolist(), strict=True) if may}
    found |= {one: found.get(one, 0.0) for one in named_facts(state) if one in kept}
    order = named_first(sorted(found, key=lambda one: -found[one]), state)
    return replaced_last(order, pool)


def named_first(order: Sequence[str], state: RecallState) -> list[str]:
    """The same with the facts that the question names in front."""
    named = [one for one in named_facts(state) if one in order]
    return [*named, *(one for one in order if one not in named)]


def asks_several(state: RecallState) -> bool:
    """Whether one message asked several questions: what is first for one that nothing answers must
    not go before the answer to another, so relevance counts there and not ranks."""
    asked = [one for one in state.get("queries", {}).values() if one["origin"] == "question"]
    return len(asked) > 1


def named_facts(state: RecallState) -> list[str]:
    """Ids of the facts that the question names."""
    return [
        memory_id
        for query in state.get("queries", {}).values()
        if query["origin"] == FACT_NAMED and query["facet_id"].startswith(OWN_FACET)
        for memory_id in query.get("memory_ids", [])
    ]


def answering_for_themselves(pool: Pool) -> Pool:
    """The pool without suspicions against what answers the question better than its successor.

    A newer note replaces an older one where it says what was asked for; otherwise it is another
    note.
    """
    if DIRECT not in pool.facet_ids:
        return pool
    own = pool.relevance[:, list(pool.facet_ids).index(DIRECT)]
    answers = dict(zip(pool.ids, own.tolist(), strict=True))
    replaced_by = {
        old: new
        for old, new in pool.replaced_by.items()
        if answers.get(new, 0.0) >= answers.get(old, 0.0)
    }
    return replace(pool, replaced_by=replaced_by)


def replaced_last(order: Sequence[str], pool: Pool) -> list[str]:
    """The same with those last that something else in it seems to replace."""
    there = set(order)
    behind = [one for one in order if pool.replaced_by.get(one) in there]
    return [*(one for one in order if one not in behind), *behind]


def outdated_last(order: Sequence[str], pool: Pool) -> list[str]:
    """The same with those last that, by an annotation, something newer replaces."""
    behind = [one for one in order if "outdated_by" in pool.candidates[one]]
    return [*(one for one in order if one not in behind), *behind]


def copies_last(order: Sequence[str], pool: Pool, *, limit: float, wanted: int) -> Sequence[str]:
    """The first of them, with those last of which others ahead say more than `limit`, a share.

    Only the first are compared, as many as it takes for `wanted` that repeat nothing: the others
    come after them in any case.
    """
    compared = 2 * wanted + SPARE
    front = copies_behind(order[:compared], pool, limit=limit)
    while front.copies_from < wanted and compared < len(order):
        compared *= 2
        front = copies_behind(order[:compared], pool, limit=limit)
    return front.order


class Front(NamedTuple):
    """Memories of which the last ones repeat others."""

    order: list[str]
    copies_from: int
    """Where these begin, from 0."""


def copies_behind(order: Sequence[str], pool: Pool, *, limit: float) -> Front:
    """All of them, with those last of which others ahead say more than `limit`, a share."""
    coverage, places = repetition_among(pool, order)
    said = np.zeros(len(coverage.owner))
    ahead: list[str] = []
    behind: list[str] = []
    for memory_id in order:
        place = places[memory_id]
        if coverage.of_candidates(said)[place] > limit:
            behind.append(memory_id)
        else:
            ahead.append(memory_id)
            said = np.maximum(said, coverage.units[:, place])
    return Front([*ahead, *behind], len(ahead))
