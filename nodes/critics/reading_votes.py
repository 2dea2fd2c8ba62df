"""Turns a model's reply into a verdict. It accepts only issued ids and claims that fit the dates.

A vote alone cannot put a memory in front that no facet ranks high.
"""

from collections.abc import Sequence
from dataclasses import replace

from secondhop.nodes.critics.port import Ballot, CandidateView, CriticRequest, FollowUp, Verdict
from secondhop.nodes.critics.sheet import CriticSheet
from secondhop.nodes.critics.vote_claims import Claim, settled
from secondhop.nodes.critics.vote_schema import CritiqueReply, QueryReply, VoteReply
from secondhop.nodes.planning.near_queries import DistinctQueries
from secondhop.nodes.selection.rank_floor import best_places, front_place
from secondhop.ranking.votes import IN_FAVOUR

SPARKS = 2
"""Most sparks per round; further sparks count as cold."""

FOLLOW_UPS = 4
"""Most new queries per round."""

LEFT_UNNAMED = "left unnamed"
"""The reason of the ballot on a memory that the reply does not name."""

FACETS_A_BALLOT = 4
"""Facets of a ballot that count, the first ones: a memory that serves everything serves nothing."""


def read_verdict(reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest) -> Verdict:
    """The verdict of a reply. A memory that it does not name is cold, or keeps an earlier vote."""
    claims = named_claims(reply, sheet, request)
    for view in request.candidates:
        vote = view.vote["vote"] if view.vote else "cold"
        unnamed = Ballot(memory_id=view.memory_id, vote=vote, reason=LEFT_UNNAMED, is_named=False)
        claims.setdefault(view.memory_id, Claim(view, unnamed))
    counted = [one for one in claims.values() if one.ballot.is_named or one.view.vote is None]
    ballots = in_places(few_sparks([settled(claim, claims) for claim in counted]), request)
    follow_ups = (
        follow_ups_of(reply.new_queries, sheet, request) if request.remaining.rounds else ()
    )
    go_on = reply.go_on if reply.go_on is not None else bool(follow_ups)
    return Verdict(
        ballots=tuple(ballots),
        follow_ups=follow_ups if go_on else (),
        content=not go_on,
    )


def named_claims(
    reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest
) -> dict[str, Claim]:
    """{memory id: the first ballot on it}, in the order of the reply; unknown ids are ignored."""
    views = {view.memory_id: view for view in request.candidates}
    facet_ids = [facet["facet_id"] for facet in request.facets]
    first: dict[str, Claim] = {}
    for vote in reply.votes:
        memory_id = sheet.issued(vote.id)
        if memory_id is None or memory_id in first:
            continue
        view = views[memory_id]
        first[memory_id] = Claim(view, as_ballot(vote, view, sheet, facet_ids))
    return first


def as_ballot(
    vote: VoteReply, view: CandidateView, sheet: CriticSheet, facet_ids: Sequence[str]
) -> Ballot:
    """A vote as a ballot, with the ids of the recall.

    A vote in favour that names no facet counts for the facet to which the memory is most relevant.
    `settled` fills in a reason that is missing.
    """
    named = tuple(f for f in dict.fromkeys(vote.facets) if f in facet_ids)[:FACETS_A_BALLOT]
    if not named and vote.vote in IN_FAVOUR and view.relevance:
        named = (max(view.relevance, key=lambda f: (view.relevance[f], f)),)
    others = [sheet.issued(call_id) for call_id in (vote.repeats, vote.replaced_by)]
    repeats, newer = (other if other != view.memory_id else None for other in others)
    return Ballot(
        memory_id=view.memory_id,
        vote=vote.vote,
        reason=sheet.in_words(vote.reason),
        facet_ids=named,
        repeats=repeats,
        replaced_by=newer,
    )


def in_places(ballots: Sequence[Ballot], request: CriticRequest) -> list[Ballot]:
    """The ballots with places: votes in favour from 1 in the order of the reply, hot before warm.

    Other votes get place 0. Among the first k, memories that no facet ranks high come last, because
    a vote alone puts nothing in front.
    """
    chosen = sorted((b for b in ballots if b.vote in IN_FAVOUR), key=lambda b: b.vote != "hot")
    stands, front = best_places(request.candidates), front_place(request.candidates)
    returned = chosen[: request.k]
    well = [ballot for ballot in returned if stands[ballot.memory_id] <= front]
    ill = [ballot for ballot in returned if stands[ballot.memory_id] > front]
    passed = returned[: returned.index(well[-1])] if well else []
    warmed = any(ballot.vote == "warm" for ballot in well)  # a hot one would come before them again
    ill = [put_behind(one, warmed=warmed) if one in passed else one for one in ill]
    order = [*well, *ill, *chosen[request.k :]]
    placed = {b.memory_id: replace(b, place=place) for place, b in enumerate(order, start=1)}
    return [placed.get(b.memory_id, replace(b, place=0)) for b in ballots]


def put_behind(ballot: Ballot, *, warmed: bool) -> Ballot:
    """The ballot on a memory that comes after others because no facet ranks it high; it says so."""
    why = f"voted {ballot.vote}, but searches rank it low, so it comes after those ranked high"
    reason = f"{ballot.reason.rstrip('.')}; {why}" if ballot.reason else why
    return replace(ballot, vote="warm" if warmed else ballot.vote, reason=reason)


def few_sparks(ballots: Sequence[Ballot]) -> list[Ballot]:
    """The ballots, where sparks beyond the first `SPARKS` are cold."""
    sparks = [ballot.memory_id for ballot in ballots if ballot.vote == "spark"][SPARKS:]
    return [replace(b, vote="cold") if b.memory_id in sparks else b for b in ballots]


def follow_ups_of(
    queries: Sequence[QueryReply], sheet: CriticSheet, request: CriticRequest
) -> tuple[FollowUp, ...]:
    """At most `FOLLOW_UPS` new queries; one for an unknown facet opens a new facet."""
    if not queries:
        return ()
    facet_ids = {facet["facet_id"] for facet in request.facets}
    distinct = DistinctQueries([request.question, *request.asked])
    found: list[FollowUp] = []
    for row in queries:
        if len(found) == FOLLOW_UPS:
            break
        if sheet.tag in f"{row.query} {row.name}".casefold():
            continue
        for text in distinct.take([row.query], limit=1):
            known = row.facet in facet_ids
            found.append(
                FollowUp(
                    text=text,
                    facet_id=row.facet if known else None,
                    name="" if known else row.name or text,
                    why="" if known else "The critic asked for it.",
                )
            )
    return tuple(found)
