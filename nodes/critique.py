"""One vote on the whole shortlist."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from secondhop.errors import ModelError
from secondhop.nodes.budget import counts_of, remaining, usage_of_failure
from secondhop.nodes.critics.port import Ballot, CandidateView, Critic, CriticRequest, Verdict
from secondhop.nodes.selection.pool import Pool, load_pool
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, Facet, Query, RecallState, RecallUpdate, Vote, slot_facets
from secondhop.wording import NO_VOTES

NOTABLE_COVERAGE = 0.3
"""Smaller overlaps are not shown to a critic."""


NO_VERDICT = Verdict(ballots=(), content=True)
"""Where the critic could not be asked: no vote, and no further round."""


async def critique(state: RecallState, *, services: Services) -> RecallUpdate:
    """Let the critic read the shortlist; without its verdict the slots go by relevance."""
    shortlist = {memory_id: state["candidates"][memory_id] for memory_id in state["shortlist"]}
    pool = await load_pool(shortlist, slot_facets(state), services=services)
    request = critic_request(state, pool, services=services)
    verdict, degraded = await judged(request, critic_of(services))
    known = set(pool.ids)
    ballots = [ballot for ballot in verdict.ballots if ballot.memory_id in known]
    facets, queries = follow_up_plan(verdict, state)
    votes = [as_vote(ballot, state) for ballot in ballots]
    return {
        "votes": {f"{vote['memory_id']}|{state['round']}": vote for vote in votes},
        "positives": {str(state["round"]): positives(votes)},
        "empty_facets": sorted(set(verdict.empty_facets) & set(state["facets"])),
        "content": verdict.content,
        "facets": facets,
        "queries": queries,
        "spent": counts_of(verdict.usage),
        "note": tally(votes),
        **degraded,
    }


def critic_of(services: Services) -> Critic:
    """The critic of a graph that judges.

    Raises:
        RuntimeError: there is none; the graph should not have come here.
    """
    if services.critic is None:
        raise RuntimeError("this recall has no critic")
    return services.critic


async def judged(request: CriticRequest, critic: Critic) -> tuple[Verdict, RecallUpdate]:
    """The critic's verdict; no vote, and a note of why, when it cannot be had."""
    place = f"critique {request.round}"
    if not request.remaining.affords_model:
        return NO_VERDICT, {"degraded": {place: "critique: no model call is left"}}
    try:
        async with asyncio.timeout(request.remaining.seconds):
            return await critic.judge(request), {}
    except (ModelError, TimeoutError) as error:
        reason = f"critique: {str(error) or 'no answer in time'}{NO_VOTES}"
        paid = replace(NO_VERDICT, usage=usage_of_failure(error))
        return paid, {"degraded": {place: reason}}


def critic_request(state: RecallState, pool: Pool, *, services: Services) -> CriticRequest:
    """The shortlist as a critic sees it."""
    return CriticRequest(
        question=state["question"],
        kind=state["kind"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        facets=[state["facets"][facet_id] for facet_id in pool.facet_ids],
        candidates=[candidate_view(memory_id, pool, state) for memory_id in pool.ids],
        coverage=notable_coverage(pool),
        replaced_by=pool.replaced_by,
        asked=[query["text"] for query in state["queries"].values() if query["round"]],
        round=state["round"],
        k=state["k"],
        remaining=remaining(state, services.settings.limits),
    )


def candidate_view(memory_id: str, pool: Pool, state: RecallState) -> CandidateView:
    """One candidate with its evidence texts."""
    candidate = state["candidates"][memory_id]
    return CandidateView(
        memory_id=memory_id,
        title=candidate["title"],
        source=candidate["source"],
        created_at=datetime.fromisoformat(candidate["created_at"]),
        score=candidate["score"],
        relevance={facet_id: score["relevance"] for facet_id, score in candidate["scores"].items()},
        evidence=tuple(pool.texts[memory_id]),
    )


def notable_coverage(pool: Pool) -> dict[str, dict[str, float]]:
    """Who says how much of whom, where it is worth a word."""
    matrix = pool.coverage(range(len(pool.ids))).matrix()
    notable: dict[str, dict[str, float]] = {}
    for row, memory_id in enumerate(pool.ids):
        said = {
            other: round(float(matrix[row, column]), 3)
            for column, other in enumerate(pool.ids)
            if column != row and matrix[row, column] >= NOTABLE_COVERAGE
        }
        if said:
            notable[memory_id] = said
    return notable


def as_vote(ballot: Ballot, state: RecallState) -> Vote:
    """The state's form of a ballot; facets that do not exist are left out."""
    return Vote(
        memory_id=ballot.memory_id,
        vote=ballot.vote,
        by="critic",
        round=state["round"],
        reason=ballot.reason,
        facet_ids=[facet_id for facet_id in ballot.facet_ids if facet_id in state["facets"]],
        repeats=ballot.repeats,
        replaced_by=ballot.replaced_by,
        place=ballot.place,
    )


def follow_up_plan(
    verdict: Verdict, state: RecallState
) -> tuple[dict[str, Facet], dict[str, Query]]:
    """The critic's new queries, and the facets they open, waiting for the next round."""
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, follow_up in enumerate(verdict.follow_ups, start=1):
        facet_id = follow_up.facet_id
        hop = follow_up.source_hop + 1
        if facet_id is None:
            facet_id = f"c{state['round']}.{number}"
            facets[facet_id] = Facet(
                facet_id=facet_id,
                name=follow_up.name or follow_up.text,
                why=follow_up.why,
                hop=hop,
                weight=follow_up.weight,
            )
        elif facet_id in state["facets"]:
            hop = state["facets"][facet_id]["hop"]
        else:
            facet_id, hop = DIRECT, 1
        query_id = f"cq{state['round']}.{number}"
        queries[query_id] = Query(
            query_id=query_id,
            facet_id=facet_id,
            text=follow_up.text,
            hop=hop,
            round=0,
            origin=follow_up.origin or ("evidence" if follow_up.facet_id is None else "uncovered"),
            feedback=[],
        )
    return facets, queries


def positives(votes: list[Vote]) -> list[str]:
    """What was voted hot or warm, sorted."""
    return sorted(vote["memory_id"] for vote in votes if vote["vote"] in {"hot", "warm"})


def tally(votes: list[Vote]) -> str:
    """ "3 hot, 2 cold"."""
    counts: Mapping[str, int] = {
        name: sum(vote["vote"] == name for vote in votes)
        for name in ("hot", "warm", "cold", "wrong", "spark")
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no votes"
