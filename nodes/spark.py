"""The branch that a spark vote opens: a facet and a query of its own, beside the main search."""

from collections.abc import Sequence

from secondhop.nodes.state import Candidate, Facet, FeedbackRef, Query, RecallState

SPARK_WEIGHT = 0.5
"""Weight of the facet of a spark, so that a branch never outweighs the main path."""


def branch_of(facet_id: str, candidate: Candidate, state: RecallState) -> Facet:
    """The facet of the branch, one hop beyond those of the memory."""
    hops = [state["facets"][f]["hop"] for f in candidate["scores"] if f in state["facets"]]
    return Facet(
        facet_id=facet_id,
        name=f"sparked by {candidate['title']}",
        why=f"“{candidate['title']}” was not asked for, but led here.",
        hop=max(hops, default=1) + 1,
        weight=SPARK_WEIGHT,
    )


def lateral_query(
    branch: Facet, candidate: Candidate, state: RecallState, *, passage_ids: Sequence[str]
) -> Query:
    """The query of a branch: title and question, with a vector moved towards the passages."""
    seed = FeedbackRef(
        memory_id=candidate["memory_id"],
        passage_ids=list(passage_ids),
        vote="hot",
        round=state["round"],
    )
    return Query(
        query_id=f"sq{branch['facet_id']}",
        facet_id=branch["facet_id"],
        text=f"{candidate['title']}: {state['question']}",
        hop=branch["hop"],
        round=0,
        origin="spark",
        feedback=[seed],
    )
