"""What a ballot says about another memory: that it is repeated, or replaced."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from secondhop.nodes.critics.port import Ballot, CandidateView
from secondhop.ranking.votes import EFFECTS, IN_FAVOUR


@dataclass(frozen=True, slots=True)
class Claim:
    """A ballot as the model meant it, before its claims about others are checked."""

    view: CandidateView
    ballot: Ballot


def settled(claim: Claim, claims: Mapping[str, Claim]) -> Ballot:
    """The ballot with what its claims entail.

    Replaced by one that is not older: wrong. Repeats one that stays: cold. Claims that do not
    hold (an older successor, a kept copy that was voted down) are left out of the ballot.
    """
    ballot = claim.ballot
    if ballot.repeats is None and ballot.replaced_by is None:
        return ballot
    newer = claims.get(ballot.replaced_by or "")
    if newer is not None and replaces(newer, claim):
        return replace(ballot, vote="wrong", repeats=None)
    ballot = replace(ballot, replaced_by=None)
    kept = kept_copy(claim, claims)
    if kept is None:
        return replace(ballot, repeats=None)
    return replace(ballot, vote="wrong" if ballot.vote == "wrong" else "cold", repeats=kept)


def replaces(newer: Claim, older: Claim) -> bool:
    """Whether dates allow the claim; written at the same moment, only one way round."""
    if newer.view.created_at == older.view.created_at:
        return newer.ballot.replaced_by is None
    return newer.view.created_at > older.view.created_at


def kept_copy(claim: Claim, claims: Mapping[str, Claim]) -> str | None:
    """The copy that stays, at the end of a chain of repeats; None when it is this one, or none is.

    Of copies that name one another the best voted stays, then the best scored.
    """
    chain = [claim.ballot.memory_id]
    following = claim.ballot.repeats
    while following is not None and following in claims and following not in chain:
        chain.append(following)
        following = claims[following].ballot.repeats
    ring = chain[chain.index(following) :] if following and following in chain else chain[-1:]
    best = max((claims[memory_id] for memory_id in ring), key=standing)
    if best.ballot.memory_id == claim.ballot.memory_id or best.ballot.vote not in IN_FAVOUR:
        return None
    return best.ballot.memory_id


def standing(claim: Claim) -> tuple[float, float, str]:
    """Which of two copies is kept: by vote, then by score."""
    return EFFECTS[claim.ballot.vote].relevance, claim.view.score, claim.ballot.memory_id
