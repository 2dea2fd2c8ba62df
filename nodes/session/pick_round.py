"""The answer of a session's round: memories voted for, new ones, and branches."""

from dataclasses import replace

from secondhop.nodes.pick import dropped
from secondhop.nodes.resolve import ms_so_far
from secondhop.nodes.selection.exposure import worn_in_session
from secondhop.nodes.selection.pool import Pool, load_pool, slot_facets
from secondhop.nodes.selection.relevance import kept_ids, last_votes
from secondhop.nodes.selection.slots import BestAnswer, best_answer
from secondhop.nodes.selection.supersession import proposals_of
from secondhop.nodes.services import Services
from secondhop.nodes.session.branches import branches_of, main_candidates
from secondhop.nodes.session.changes import answer_of, changes_since
from secondhop.nodes.session.session_state import SessionState, SessionUpdate
from secondhop.nodes.session.settle_rules import settled
from secondhop.nodes.session.voting import shown_ever
from secondhop.wording import counted

BRANCH_MEMORIES = 3
"""Memories that a branch shows per round, in addition to those that were voted for."""

LATER_MIN_SCORE = 0.25
"""Upper limit of `min_score` after the first answer. It is lower because people who ask for more
judge for themselves."""


async def pick_round(state: SessionState, *, services: Services) -> SessionUpdate:
    """Pick the answer: memories that people and agents voted for, and at most k others, best first.

    Branches are filled last, with memories that the answer does not show; they take no slots.
    """
    min_score = services.settings.ranking.min_score
    facet_ids = sorted(set(slot_facets(state)) - set(state.get("sparks", {})))  # no branches
    pool = await load_pool(main_candidates(state), facet_ids, state, services=services)
    answer = answer_in(pool, state, services=services)
    picks = answer.picks if answer else []
    branches = branches_of(
        state,
        [pick["memory_id"] for pick in picks],
        size=BRANCH_MEMORIES,
        min_score=min_score,
    )
    shown = answer_of(picks, branches)
    if services.settings.ranking.freshness > 0:
        all_shown = {**dict.fromkeys(shown_ever(state)), **shown}
        services.exposure.show(state, all_shown)
    converged, why = settled(state, list(shown))
    kept = kept_ids(last_votes(state))
    return {
        "picks": picks,
        "weakened": {**answer.weakened} if answer else {},
        "named": {**answer.named} if answer else {},
        "close_to": {**answer.selected.close_to} if answer else {},
        "drops": dropped(answer, pool, state, min_score=min_score) if answer else {},
        "branches": branches,
        "shown": {str(state["round"]): shown},
        "changes": changes_since(state, picks, branches),
        "proposals": proposals_of(pool, state),
        "converged": converged,
        "why": why,
        "round_ms": ms_so_far(state, services.settings.limits),
        "note": f"{len(picks)} picked, {len(kept)} kept, {counted(len(branches), 'branch')}",
    }


def answer_in(pool: Pool, state: SessionState, *, services: Services) -> BestAnswer | None:
    """The answer without its branches; None if nothing was found."""
    if not pool.ids:
        return None
    ranking = services.settings.ranking
    if ranking.freshness > 0:
        state = {**state, "exposure": worn_in_session(state)}
    if state["round"] > 1:
        lower = min(ranking.min_score, LATER_MIN_SCORE)
        ranking = replace(ranking, min_score=lower)
    return best_answer(pool, state, settings=ranking, shown=shown_ever(state))
