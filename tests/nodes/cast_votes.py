"""Votes as they are in the state of a recall."""

from collections.abc import Iterable, Sequence

from secondhop.nodes.state import Vote
from secondhop.ranking.votes import VoteName


def vote(
    memory_id: str,
    name: VoteName,
    *,
    by: str = "person",
    round_number: int = 1,
    facet_ids: Sequence[str] = (),
) -> Vote:
    """A vote without a reason."""
    return Vote(
        memory_id=memory_id,
        vote=name,
        by=by,
        round=round_number,
        reason="",
        facet_ids=list(facet_ids),
        repeats=None,
        replaced_by=None,
    )


def by_voter(votes: Iterable[Vote]) -> dict[str, Vote]:
    """{key of memory, round and voter: the vote}; of two votes the later one counts."""
    return {f"{one['memory_id']}|{one['round']}|{one['by']}": one for one in votes}
