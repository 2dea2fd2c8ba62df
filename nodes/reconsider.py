"""Votes → the next round's queries."""

from collections.abc import Iterable, Sequence

from secondhop.nodes.eligibility import last_votes
from secondhop.nodes.pool import evidence_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    Candidate,
    Facet,
    FeedbackRef,
    Query,
    RecallState,
    RecallUpdate,
    Vote,
)

FEEDBACK_PASSAGES = 2
"""Passages of a voted memory that bend a query vector."""

SPARK_WEIGHT = 0.5
"""Weight of a spark's own facet: a branch never outweighs the main path."""


async def reconsider(state: RecallState, *, services: Services) -> RecallUpdate:
    """A bent query for every facet with votes, a branch for each spark, and the critic's own.

    The critic's new queries wait in the state already; when neither they nor votes ask for
    anything, the recall stops here.
    """
    votes = list(last_votes(state).values())
    refined = {
        query["query_id"]: query
        for facet_id in sorted(state["facets"])
        for query in refined_queries(facet_id, votes, state)
    }
    facets, sparks = spark_branches(votes, state)
    waiting = [query for query in state["queries"].values() if query["round"] == 0]
    update: RecallUpdate = {
        "facets": facets,
        "queries": {**refined, **sparks},
        "note": f"{len(refined)} refined, {len(sparks)} sparks, {len(waiting)} new",
    }
    if not (refined or sparks or waiting):
        update["stop_reason"] = "no_new_queries"
        update["stop_detail"] = "neither votes nor evidence ask for more"
    return update


def refined_queries(facet_id: str, votes: Sequence[Vote], state: RecallState) -> list[Query]:
    """At most one query: the facet's first text, bent by the votes on its memories.

    A facet without a hot or warm vote keeps its vector; cold and wrong memories are kept out by
    selection, so asking again would bring nothing new.
    """
    own = [vote for vote in votes if concerns(vote, facet_id, state)]
    if not any(vote["vote"] in {"hot", "warm"} for vote in own):
        return []
    if all(vote["by"] == "critic" and not vote["facet_ids"] for vote in own):
        return []
    texts = [q["text"] for q in state["queries"].values() if q["facet_id"] == facet_id]
    return [
        Query(
            query_id=f"r{state['round']}.{facet_id}",
            facet_id=facet_id,
            text=texts[0],
            hop=state["facets"][facet_id]["hop"],
            round=0,
            origin="refine",
            feedback=list(feedback_refs(own, state)),
        )
    ][: len(texts)]


def concerns(vote: Vote, facet_id: str, state: RecallState) -> bool:
    """Whether a vote is about a memory of this facet: as it says, or as the facet ranked it."""
    candidate = state["candidates"].get(vote["memory_id"])
    if candidate is None or vote["vote"] == "spark":
        return False
    if vote["facet_ids"]:
        return facet_id in vote["facet_ids"]
    scores = candidate["scores"]
    return facet_id == max(scores, key=lambda f: (scores[f]["relevance"], f))


def feedback_refs(votes: Iterable[Vote], state: RecallState) -> Iterable[FeedbackRef]:
    """The passages that votes are about."""
    for vote in votes:
        candidate = state["candidates"][vote["memory_id"]]
        yield FeedbackRef(
            passage_ids=evidence_of(candidate)[:FEEDBACK_PASSAGES],
            vote=vote["vote"],
            round=vote["round"],
        )


def spark_branches(
    votes: Sequence[Vote], state: RecallState
) -> tuple[dict[str, Facet], dict[str, Query]]:
    """A facet and a query of its own for every spark of this round."""
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for vote in votes:
        candidate = state["candidates"].get(vote["memory_id"])
        if vote["vote"] != "spark" or vote["round"] != state["round"] or candidate is None:
            continue
        facet_id = f"s{state['round']}.{len(facets) + 1}"
        facets[facet_id] = spark_facet(facet_id, candidate, state)
        queries[f"sq{facet_id}"] = Query(
            query_id=f"sq{facet_id}",
            facet_id=facet_id,
            text=f"{candidate['title']}: {state['question']}",
            hop=facets[facet_id]["hop"],
            round=0,
            origin="spark",
            feedback=[
                FeedbackRef(
                    passage_ids=evidence_of(candidate)[:FEEDBACK_PASSAGES],
                    vote="hot",
                    round=state["round"],
                )
            ],
        )
    return facets, queries


def spark_facet(facet_id: str, candidate: Candidate, state: RecallState) -> Facet:
    """The lateral branch that a memory sparked."""
    hops = [state["facets"][f]["hop"] for f in candidate["scores"] if f in state["facets"]]
    return Facet(
        facet_id=facet_id,
        name=f"sparked by {candidate['title']}",
        why=f"“{candidate['title']}” was not asked for, but led here.",
        hop=max(hops, default=1) + 1,
        weight=SPARK_WEIGHT,
    )
