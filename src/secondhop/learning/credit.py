"""What a resolved session says about memories; pure functions."""

from collections.abc import Iterable, Mapping

from secondhop.graph.session_result import ResolvedSession
from secondhop.ranking.votes import EFFECTS, VoteName

ACCEPTED_CREDIT = 0.5
"""The least credit of an accepted memory, whatever the votes. Accepted without a vote, it gets
1."""


def credit_of(votes: Mapping[str, VoteName], accepted: Iterable[str]) -> dict[str, float]:
    """{memory id: credit that the session gives it}; memories without any are left out.

    >>> credit_of({"a": "hot", "b": "cold", "c": "spark"}, ["a", "d"])
    {'a': 1.0, 'b': -0.5, 'd': 1.0}
    """
    told = {one: EFFECTS[vote].credit for one, vote in votes.items()}
    credit = {one: change for one, change in told.items() if change}
    for memory_id in accepted:
        credit[memory_id] = max(credit.get(memory_id, 1.0), ACCEPTED_CREDIT)
    return credit


def told_by_people(session: ResolvedSession) -> frozenset[str]:
    """Memories that a person has voted cold or wrong."""
    votes = [one for one in session.votes if one.by == "person"]
    return frozenset(one for told in votes for one in (*told.cold, *told.wrong))


def bounded_credit(credit: float, known: float, *, by_person: bool) -> float:
    """How much of a credit counts: an agent can at most take back votes in favour.

    Only people can bring the sum below 0, so only they can refuse a memory.

    Args:
        known: the sum of the votes so far.

    >>> bounded_credit(-1.0, 0.5, by_person=True), bounded_credit(-1.0, 0.5, by_person=False)
    (-1.0, -0.5)
    """
    return credit if by_person or credit > 0 else max(credit, -max(known, 0.0))
