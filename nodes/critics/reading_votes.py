"""Turns a model's reply into a verdict; accepts only issued ids and claims that fit the dates.

Evidence comes first: a vote alone puts nothing in front that no facet ranks high.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from secondhop.models.llm import Usage
from secondhop.nodes.critics.port import Ballot, CandidateView, CriticRequest, FollowUp, Verdict
from secondhop.nodes.critics.sheet import CriticSheet
from secondhop.nodes.critics.vote_claims import Claim, settled
from secondhop.nodes.critics.vote_schema import CritiqueReply, QueryReply, VoteReply
from secondhop.nodes.planning.near_queries import DistinctQueries
from secondhop.nodes.selection.rank_floor import best_places, front_place
from secondhop.ranking.votes import IN_FAVOUR

SPARKS = 2
"""Branches that a round may open; further sparks are cold."""

FOLLOW_UPS = 4
"""New searches a round."""

UNNAMED = "left unnamed"
"""Why a memory is cold that a verdict says nothing of."""

FACETS_A_BALLOT = 4
"""A memory that serves everything serves nothing: the first ones count."""


def read_verdict(
    reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest, *, usage: Usage
) -> Verdict:
    """The verdict that a reply amounts to. What it leaves unnamed is cold, or as it was voted
    before."""
    named = named_claims(reply, sheet, request)
    claims = {**named, **unnamed_claims(named, request)}
    counted = [one for one in claims.values() if one.ballot.is_named or one.view.vote is None]
    ballots = in_places(few_sparks([settled(claim, claims) for claim in counted]), request)
    served = {f for ballot in ballots if ballot.vote in IN_FAVOUR for f in ballot.facet_ids}
    known = {facet["facet_id"] for facet in request.facets}
    follow_ups = (
        follow_ups_of(reply.new_queries, sheet, request) if request.remaining.rounds else ()
    )
    go_on = reply.go_on if reply.go_on is not None else bool(follow_ups)
    return Verdict(
        ballots=tuple(ballots),
        empty_facets=tuple(
            f for f in dict.fromkeys(reply.empty_facets) if f in known and f not in served
        ),
        follow_ups=follow_ups if go_on else (),
        content=not go_on,
        usage=usage,
    )


def named_claims(
    reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest
) -> dict[str, Claim]:
    """The first ballot on each memory of the sheet, in the order of the reply."""
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
    """A ballot in ids of the recall.

    A vote in favour that names no facet counts for the one that ranked the memory best.
    """
    named = tuple(f for f in dict.fromkeys(vote.facets) if f in facet_ids)[:FACETS_A_BALLOT]
    if not named and vote.vote in IN_FAVOUR and view.relevance:
        named = (max(view.relevance, key=lambda f: (view.relevance[f], f)),)
    others = [sheet.issued(call_id) for call_id in (vote.repeats, vote.replaced_by)]
    repeats, newer = (other if other != view.memory_id else None for other in others)
    return Ballot(
        memory_id=view.memory_id,
        vote=vote.vote,
        reason=sheet.in_words(vote.reason) or f"voted {vote.vote}",
        facet_ids=named,
        repeats=repeats,
        replaced_by=newer,
    )


def unnamed_claims(named: Mapping[str, Claim], request: CriticRequest) -> dict[str, Claim]:
    """What a reply says of the others by leaving them unnamed: cold, or as they were voted."""
    return {
        view.memory_id: Claim(view, unnamed_ballot(view))
        for view in request.candidates
        if view.memory_id not in named
    }


def unnamed_ballot(view: CandidateView) -> Ballot:
    """Cold for a memory that is new on the sheet, else its vote of an earlier round."""
    vote = view.vote["vote"] if view.vote else "cold"
    return Ballot(memory_id=view.memory_id, vote=vote, reason=UNNAMED, is_named=False)


def in_places(ballots: Sequence[Ballot], request: CriticRequest) -> list[Ballot]:
    """Votes in favour numbered in the order of the reply, hot before warm; 0 for the others.

    Of the k that would be returned, those that no facet's evidence ranks high come last. A vote
    alone puts nothing in front.
    """
    chosen = sorted((b for b in ballots if b.vote in IN_FAVOUR), key=lambda b: b.vote != "hot")
    stands, front = best_places(request.candidates), front_place(request.candidates)
    returned = chosen[: request.k]
    well = [ballot for ballot in returned if stands[ballot.memory_id] <= front]
    ill = [ballot for ballot in returned if stands[ballot.memory_id] > front]
    if any(ballot.vote == "warm" for ballot in well):  # or hot would come before it again
        ill = [replace(ballot, vote="warm") for ballot in ill]
    order = [*well, *ill, *chosen[request.k :]]
    placed = {b.memory_id: replace(b, place=place) for place, b in enumerate(order, start=1)}
    return [placed.get(b.memory_id, replace(b, place=0)) for b in ballots]


def few_sparks(ballots: Sequence[Ballot]) -> list[Ballot]:
    """The ballots; the sparks beyond SPARKS are cold."""
    sparks = [ballot.memory_id for ballot in ballots if ballot.vote == "spark"][SPARKS:]
    return [replace(b, vote="cold") if b.memory_id in sparks else b for b in ballots]


def follow_ups_of(
    queries: Sequence[QueryReply], sheet: CriticSheet, request: CriticRequest
) -> tuple[FollowUp, ...]:
    """The first FOLLOW_UPS searches that are new; a facet that we do not know is a new one."""
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
                    why="" if known else "Named by good evidence.",
                )
            )
    return tuple(found)
