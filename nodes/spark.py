"""The branch that a spark opens: its own facet and query, beside the main search."""

from collections.abc import Sequence

from secondhop.nodes.state import Candidate, Facet, FeedbackRef, Query, RecallState

SPARK_WEIGHT = 0.5
"""Weight of a spark's own facet: a branch never outweighs the main path."""


def branch_of(facet_id: str, candidate: Candidate, state: RecallState) -> Facet:
    """The lateral branch that a memory sparked."""
    hops = [state["facets"][f]["hop"] for f in candidate["scores"] if f in state["facets"]]
    return Facet(
        facet_id=facet_id,
        name=branch_name(candidate["title"]),
        why=branch_why(candidate["title"]),
        hop=max(hops, default=1) + 1,
        weight=SPARK_WEIGHT,
    )


def branch_name(title: str) -> str:
    """Name of the branch that a memory of this title sparked."""
    return f"sparked by {title}"


def branch_why(title: str) -> str:
    """Why it was looked for."""
    return f"“{title}” was not asked for, but led here."


def lateral_query(
    branch: Facet, candidate: Candidate, state: RecallState, *, passage_ids: Sequence[str]
) -> Query:
    """Seeded by the memory and the question; its vector leans towards the memory's passages."""
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
    """What the branch asks for."""
    return f"{title}: {question}"
