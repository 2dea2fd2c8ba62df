"""Picks the answer of this round, and decides whether the recall ends here."""

from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.selection.answerable import admitting_min_score
from secondhop.nodes.selection.learned import learned_factor
from secondhop.nodes.selection.pool import Pool, load_pool, slot_facets
from secondhop.nodes.selection.relevance import is_outside, keeps_out, last_votes
from secondhop.nodes.selection.select import Loser
from secondhop.nodes.selection.slots import BestAnswer, best_answer
from secondhop.nodes.services import Services
from secondhop.nodes.state import Drop, RecallState, RecallUpdate, Vote
from secondhop.nodes.stopping import stop_rule
from secondhop.wording import counted

NOT_NEAR = "nothing stored is near enough to the question itself"
"""Why the whole answer is held back if `BestAnswer.near` is false."""

REFUSED = "the critic refused most of what it read, and chose nothing"
"""Why the whole answer is held back if it is near enough to the question."""

CLOSE_TO = "is close in wording or meaning to"
"""Why a memory came last whose evidence those ahead of it say in part; an id follows."""

OUTDATED = "is outdated by"
"""Why a memory came last that an annotation calls replaced; an id follows."""


async def pick(state: RecallState, *, services: Services) -> RecallUpdate:
    """Fill the k slots, note why the other candidates lost, and apply the stop rules."""
    ranking = services.settings.ranking
    pool = await load_pool(state["candidates"], slot_facets(state), state, services=services)
    answer = best_answer(pool, state, settings=ranking)
    picks = answer.picks
    reason, detail = stop_rule({**state, "picks": picks}, services)
    cost = {"deadline": f"deadline: {detail}"} if reason == "deadline" else {}
    return {
        "degraded": cost,
        "picks": picks,
        "weakened": {**answer.weakened},
        "named": {**answer.named},
        "close_to": {**answer.selected.close_to},
        "drops": dropped(answer, pool, state, min_score=ranking.min_score),
        "stop_reason": reason,
        "stop_detail": detail,
        "note": f"{len(picks)} picked" + (f"; stop: {reason}" if reason else ""),
    }


def dropped(
    answer: BestAnswer, pool: Pool, state: RecallState, *, min_score: float
) -> dict[str, Drop]:
    """{"<memory id>|<round>|<stage>": why a candidate is not in the answer}."""
    votes = last_votes(state)
    losers = answer.selected.losers if answer.given else []
    given_slots = max(state["k"], len(answer.picks))  # memories that were voted for come on top
    drops = [lost_slot(loser, state, slots=given_slots) for loser in losers]
    of_a_slot = 0.0 if is_unplanned(state) else min_score
    if votes or of_a_slot > 0:
        drops += unfit(pool, votes, state, min_score=of_a_slot)
    if not answer.given:
        given = {pick["memory_id"] for pick in answer.implied}
        slots = [pick["memory_id"] for pick in answer.selected.picks]
        enough = admitting_min_score(state, min_score=min_score, named=bool(answer.named))
        held_back = [*slots, *(loser.memory_id for loser in answer.selected.losers)]
        drops += [
            unanswered(one, answer, state, place=place, enough=enough, min_score=min_score)
            for place, one in enumerate(held_back, start=1)
            if one not in given
        ]
        drops = [drop for drop in drops if drop["memory_id"] not in given]
    return {f"{drop['memory_id']}|{drop['round']}|{drop['stage']}": drop for drop in drops}


def lost_slot(loser: Loser, state: RecallState, *, slots: int) -> Drop:
    """The drop of a candidate that was good enough but came after the last slot."""
    newer = state["candidates"][loser.memory_id].get("outdated_by") if not loser.chosen else None
    if newer is not None:
        reason = f"{OUTDATED} {newer}, as was recorded when that one was stored"
    elif loser.close_to is not None:
        reason = f"{CLOSE_TO} {loser.close_to}"
    else:
        reason = f"came in at place {loser.place} for {counted(slots, 'slot')}"
    return Drop(
        memory_id=loser.memory_id,
        stage="pick",
        round=state["round"],
        reason=reason,
        rank=loser.place,
        score=state["candidates"][loser.memory_id]["score"],
        threshold=None,
        against=newer or loser.close_to or loser.beaten_by,
    )


def unfit(
    pool: Pool, votes: dict[str, Vote], state: RecallState, *, min_score: float
) -> list[Drop]:
    """Drops for candidates that could not be returned: voted out, or below the threshold."""
    drops: list[Drop] = []
    for memory_id in pool.ids:
        vote, score = votes.get(memory_id), state["candidates"][memory_id]["score"]
        lifted = score * max(1.0, learned_factor(state["candidates"][memory_id], state))
        if vote is not None and keeps_out(vote):
            reason, stage, threshold = voted(vote), "critique", None
        elif lifted < min_score and not (vote and vote["facet_ids"]):
            reason, stage = "below the threshold in every facet", "pick"
            threshold = min_score
        else:
            continue
        drops.append(
            Drop(
                memory_id=memory_id,
                stage=stage,
                round=state["round"],
                reason=reason,
                rank=None,
                score=score,
                threshold=threshold,
                against=(vote["replaced_by"] or vote["repeats"]) if vote else None,
            )
        )
    return drops


def voted(vote: Vote) -> str:
    """The vote in words, like "voted cold: about another trip" or "voted cold by the person"."""
    told = f"voted {vote['vote']}" + (f" by the {vote['by']}" if is_outside(vote) else "")
    return f"{told}: {vote['reason']}" if vote["reason"] else told


def unanswered(
    memory_id: str,
    answer: BestAnswer,
    state: RecallState,
    *,
    place: int,
    enough: float | None,
    min_score: float,
) -> Drop:
    """The drop of a candidate, held back with the whole answer, that would have had `place`.
    `enough`: see `admitting_min_score`; it becomes the score, and `min_score` the threshold."""
    return Drop(
        memory_id=memory_id,
        stage="pick",
        round=state["round"],
        reason=REFUSED if answer.near else NOT_NEAR,
        rank=place,
        score=enough,
        threshold=None if enough is None else min_score,
        against=None,
    )
