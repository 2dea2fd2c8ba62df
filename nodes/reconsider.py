"""Turns votes into the queries of the next round."""

from collections.abc import Sequence

from secondhop.nodes.selection.pool import evidence_of
from secondhop.nodes.selection.relevance import is_outside, last_votes
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
from secondhop.ranking.votes import IN_FAVOUR, VoteName

FEEDBACK_PASSAGES = 2
"""Passages per voted memory that move the query vector."""

BRANCHES = 3
"""Most sparks that a session follows."""

SPARK_WEIGHT = 0.5
"""Weight of the facet of a spark, so that a branch never outweighs the main path."""


async def reconsider(state: RecallState, *, services: Services) -> RecallUpdate:
    """Queries for the next round: one for every facet with a vote in favour, and one per spark.

    The critic's own new queries are in the state already. If there are no queries at all, the
    recall ends here.
    """
    votes = list(last_votes(state).values())
    if state.get("effort") == "low":  # of the critic, only its own queries are asked
        votes = [vote for vote in votes if vote["by"] != "critic"]
    refined = {
        query["query_id"]: query
        for facet_id in sorted(state["facets"])
        for query in refined_queries(facet_id, votes, state)
    }
    facets, sparks, queries = spark_branches(votes, state)
    waiting = [query for query in state["queries"].values() if query["round"] == 0]
    update: RecallUpdate = {
        "facets": facets,
        "sparks": sparks,
        "queries": {**refined, **queries},
        "note": f"{len(refined)} refined, {len(sparks)} sparks, {len(waiting)} new",
    }
    if not (refined or sparks or waiting):
        update["stop_reason"] = "no_new_queries"
        update["stop_detail"] = "neither the votes nor the evidence ask for more"
    return update


def refined_queries(facet_id: str, votes: Sequence[Vote], state: RecallState) -> list[Query]:
    """At most one query: the facet's first text, with a vector moved by the votes on its memories.

    [] for a facet without a hot or warm vote. Selection keeps cold and wrong memories out anyway,
    so asking again would bring nothing new.
    """
    # a vote says more than the ranking if it names facets, or a person or agent cast it
    news = [vote for vote in votes if is_outside(vote) or vote["facet_ids"]]
    own = [vote for vote in news if concerns(vote, facet_id, state)]
    if not any(vote["vote"] in IN_FAVOUR for vote in own):
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
            feedback=[
                feedback_of(state["candidates"][vote["memory_id"]], vote["vote"], vote["round"])
                for vote in own
            ],
        )
    ]


def concerns(vote: Vote, facet_id: str, state: RecallState) -> bool:
    """Whether a vote is about this facet: it names the facet, or it names none and the memory is
    most relevant to this one.

    A vote is about a branch only if it names it. A spark is about no facet.
    """
    candidate = state["candidates"].get(vote["memory_id"])
    if candidate is None or vote["vote"] == "spark":
        return False
    if vote["facet_ids"]:
        return facet_id in vote["facet_ids"]
    sparks = state.get("sparks", {})
    scores = {f: s["relevance"] for f, s in candidate["scores"].items() if f not in sparks}
    return bool(scores) and facet_id == max(scores, key=lambda f: (scores[f], f))


def feedback_of(candidate: Candidate, vote: VoteName, round_number: int) -> FeedbackRef:
    """A vote that moves a query vector, with the passages that it is about."""
    return FeedbackRef(
        memory_id=candidate["memory_id"],
        passage_ids=evidence_of(candidate)[:FEEDBACK_PASSAGES],
        vote=vote,
        round=round_number,
    )


def spark_branches(
    votes: Sequence[Vote], state: RecallState
) -> tuple[dict[str, Facet], dict[str, str], dict[str, Query]]:
    """(facets, {facet id: memory id of its spark}, queries) of new sparks; `BRANCHES` in all.

    A branch is one hop beyond its memory. Its query is title and question, with a vector moved
    towards the memory.
    """
    known = state.get("sparks", {})
    facets: dict[str, Facet] = {}
    sparks: dict[str, str] = {}
    queries: dict[str, Query] = {}
    for vote in votes:
        candidate = state["candidates"].get(vote["memory_id"])
        if vote["vote"] != "spark" or vote["round"] != state["round"] or candidate is None:
            continue
        if len(known) + len(sparks) >= BRANCHES or vote["memory_id"] in known.values():
            continue
        facet_id = f"s{state['round']}.{len(sparks) + 1}"
        hops = [state["facets"][f]["hop"] for f in candidate["scores"] if f in state["facets"]]
        facets[facet_id] = Facet(
            facet_id=facet_id,
            name=f"sparked by {candidate['title']}",
            why=f"“{candidate['title']}” was not asked for, but led here.",
            hop=max(hops, default=1) + 1,
            weight=SPARK_WEIGHT,
        )
        sparks[facet_id] = vote["memory_id"]
        queries[f"sq{facet_id}"] = Query(
            query_id=f"sq{facet_id}",
            facet_id=facet_id,
            text=f"{candidate['title']}: {state['question']}",
            hop=facets[facet_id]["hop"],
            round=0,
            origin="spark",
            feedback=[feedback_of(candidate, "hot", state["round"])],
        )
    return facets, sparks, queries
