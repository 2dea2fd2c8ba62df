"""The branch that a spark vote opens: a facet and a query of its own, beside the main search."""

from collections.abc import Sequence

from secondhop.nodes.state import Candidate, Facet, FeedbackRef, Query, RecallState

SPARK_WEIGHT = 0.5
"""Weight of the facet of a spark, so that a branch never outweighs the main path."""


def branch_of(facet_id: str, candidate: Candidate, state: RecallState) -> Facet:
    """The facet of the branch that a memory sparked, one hop beyond the memory's own facets."""
    hops = [state["facets"][f]["hop"] for f in candidate["scores"] if f in state["facets"]]
    return Facet(
        facet_id=facet_id,
        name=branch_name(candidate["title"]),
        why=branch_why(candidate["title"]),
        hop=max(hops, default=1) + 1,
        weight=SPARK_WEIGHT,
    )


def branch_name(title: str) -> str:
    """Name of the branch that a memory with this title sparked."""
    return f"sparked by {title}"


def branch_why(title: str) -> str:
    """Why the branch is searched, for the `why` of its facet."""
    return f"“{title}” was not asked for, but led here."


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
        text=lateral_text(candidate["title"], state["question"]),
        hop=branch["hop"],
        round=0,
        origin="spark",
        feedback=[seed],
    )


def lateral_text(title: str, question: str) -> str:
    """The text of the branch's query."""
    return f"{title}: {question}"
