"""Asks the critic to vote on the whole shortlist, in one call."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from secondhop.errors import ModelError
from secondhop.nodes.budget import counts_of, remaining, usage_of_failure
from secondhop.nodes.critics.excerpts import joined
from secondhop.nodes.critics.port import Ballot, CandidateView, Critic, CriticRequest, Verdict
from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.evidence.near_cues import first_near_cues, near_cues
from secondhop.nodes.selection.pool import evidence_of, slot_facets
from secondhop.nodes.selection.relevance import last_votes, well_founded
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, Candidate, Facet, Query, RecallState, RecallUpdate, Vote
from secondhop.nodes.stopping import verdict_place
from secondhop.ranking.votes import VOTES
from secondhop.wording import NO_VOTES

NEAREST = 3
"""Passages of a memory that the critic reads from, in addition to its opening."""

OPENED_WEIGHT = 0.5
"""Weight of a facet that the critic opens; those of a plan weigh about 1."""

NO_VERDICT = Verdict(ballots=())
"""The verdict if the critic could not be asked; then `stop_rule` ends the recall."""


async def critique(state: RecallState, *, services: Services) -> RecallUpdate:
    """Let the critic vote on the shortlist; if it cannot be asked, `degraded` says so."""
    request = await critic_request(state, services=services)
    verdict, degraded = await judged(request, services.critic)
    known = set(state["shortlist"])
    ballots = [ballot for ballot in verdict.ballots if ballot.memory_id in known]
    facets, queries = follow_up_plan(verdict, state)
    votes = {f"{b.memory_id}|{state['round']}": as_vote(b, state) for b in ballots}
    return {
        "votes": votes,
        "content": verdict.content,
        "facets": facets,
        "queries": queries,
        "spent": counts_of(verdict.usage),
        "note": tally(votes.values()),
        **degraded,
    }


async def judged(request: CriticRequest, critic: Critic | None) -> tuple[Verdict, RecallUpdate]:
    """(verdict, update); `NO_VERDICT` and the reason in `degraded` if the critic fails."""
    place = verdict_place(request.round)
    if critic is None or not request.remaining.affords_model:
        reason = f"critique: no model call is left{NO_VOTES}"
        return NO_VERDICT, {"degraded": {place: reason}}
    try:
        async with asyncio.timeout(request.remaining.seconds):
            return await critic.judge(request), {}
    except (ModelError, TimeoutError) as error:
        reason = f"critique: {str(error) or 'no answer in time'}{NO_VOTES}"
        paid = replace(NO_VERDICT, usage=usage_of_failure(error))
        return paid, {"degraded": {place: reason}}


async def critic_request(state: RecallState, *, services: Services) -> CriticRequest:
    """What the critic gets: the question, its facets, and the shortlist, best score first."""
    shortlist = [state["candidates"][memory_id] for memory_id in state["shortlist"]]
    shortlist.sort(key=lambda one: (-one["score"], one["memory_id"]))
    # the wording of a playbook is invented, and its facet is shown
    searched = [q for q in state["queries"].values() if q["round"] and q["origin"] != "playbook"]
    asked = [query["text"] for query in searched]
    return CriticRequest(
        question=state["question"],
        kind=state["kind"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        facets=[state["facets"][facet_id] for facet_id in slot_facets(state)],
        candidates=await candidate_views(state, shortlist, services=services),
        asked=[text for text in dict.fromkeys(asked) if text != state["question"]],
        round=state["round"],
        k=state["k"],
        remaining=remaining(state, services.settings.limits),
    )


async def candidate_views(
    state: RecallState, shortlist: Sequence[Candidate], *, services: Services
) -> list[CandidateView]:
    """The candidates with their texts, what is known about them, and the votes on them."""
    texts = await texts_of(shortlist, state, services=services)
    replaced_at = await dates_of_newer(shortlist, services=services)
    repeats, votes = state.get("repeats", {}), last_votes(state)
    views: list[CandidateView] = []
    for candidate in shortlist:
        memory_id, scores = candidate["memory_id"], candidate["scores"].items()
        views.append(
            CandidateView(
                memory_id=memory_id,
                title=candidate["title"],
                source=candidate["source"],
                created_at=datetime.fromisoformat(candidate["created_at"]),
                score=candidate["score"],
                is_founded=well_founded(candidate),
                relevance={facet_id: score["relevance"] for facet_id, score in scores},
                text=texts[memory_id],
                role=candidate.get("role", ""),
                replaced_by=candidate.get("outdated_by", ""),
                replaced_at=replaced_at.get(memory_id),
                repeats=repeats.get(memory_id, ""),
                vote=votes.get(memory_id),
            )
        )
    return views


async def dates_of_newer(
    shortlist: Sequence[Candidate], *, services: Services
) -> dict[str, datetime]:
    """{memory id: when the memory that outdates it was written}."""
    newer = {
        candidate["memory_id"]: one
        for candidate in shortlist
        if (one := candidate.get("outdated_by"))
    }
    cards = await services.reader.cards(sorted({*newer.values()})) if newer else {}
    return {old: cards[new].created_at for old, new in newer.items() if new in cards}


async def texts_of(
    shortlist: Sequence[Candidate], state: RecallState, *, services: Services
) -> dict[str, str]:
    """{memory id: its opening and its passages nearest to the facets or its cue, as one text}."""
    wanted: dict[str, set[str]] = {}
    owned = await services.reader.passage_ids([one["memory_id"] for one in shortlist])
    near = await near_cues(shortlist, state, owned, services=services)
    for candidate in shortlist:
        memory_id = candidate["memory_id"]
        nearest = first_near_cues(evidence_of(candidate), near.get(memory_id))[:NEAREST]
        wanted[memory_id] = {*nearest, *owned.get(memory_id, [])[:1]}
    passages = await services.reader.passages(sorted(set[str]().union(*wanted.values())))
    return {
        memory_id: joined(passages[one] for one in own if one in passages)
        for memory_id, own in wanted.items()
    }


def as_vote(ballot: Ballot, state: RecallState) -> Vote:
    """A ballot in the state's form; facets that do not exist are left out."""
    vote = Vote(
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
    if not ballot.is_named and is_unplanned(state):
        vote["unnamed"] = True  # a plan's facets may leave slots empty
    return vote


def follow_up_plan(
    verdict: Verdict, state: RecallState
) -> tuple[dict[str, Facet], dict[str, Query]]:
    """(facets, queries) that the critic asks for; they wait for the next round."""
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    farthest = max(state["facets"][facet_id]["hop"] for facet_id in slot_facets(state))
    for number, follow_up in enumerate(verdict.follow_ups, start=1):
        facet_id, origin = follow_up.facet_id, "uncovered"
        if facet_id is None:
            facet_id, origin = f"c{state['round']}.{number}", "evidence"
            facets[facet_id] = Facet(
                facet_id=facet_id,
                name=follow_up.name or follow_up.text,
                why=follow_up.why,
                hop=max(2, farthest) + 1,
                weight=OPENED_WEIGHT,
            )
        elif facet_id not in state["facets"]:
            facet_id = DIRECT
        query_id = f"cq{state['round']}.{number}"
        queries[query_id] = Query(
            query_id=query_id,
            facet_id=facet_id,
            text=follow_up.text,
            hop={**state["facets"], **facets}[facet_id]["hop"],
            round=0,
            origin=origin,
            feedback=[],
        )
    return facets, queries


def tally(votes: Collection[Vote]) -> str:
    """The votes in words, like "3 hot, 2 cold"."""
    counts: Mapping[str, int] = {
        name: sum(vote["vote"] == name for vote in votes) for name in VOTES
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no votes"
