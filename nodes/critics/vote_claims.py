"""Checks what a ballot claims about two memories: that one repeats or replaces the other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from secondhop.nodes.critics.port import Ballot, CandidateView
from secondhop.ranking.votes import EFFECTS, IN_FAVOUR


@dataclass(frozen=True, slots=True)
class Claim:
    """A ballot as the model cast it, before its claims about other memories are checked."""

    view: CandidateView
    ballot: Ballot


def settled(claim: Claim, claims: Mapping[str, Claim]) -> Ballot:
    """The ballot after its claims have been checked.

    A memory that is replaced by one that is not older is voted wrong. A memory that repeats one
    that stays is voted cold (or stays wrong). Claims that do not hold are removed from the ballot:
    a replacement that is older, or a copy that was itself voted down.
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
    """Whether the dates allow that `newer` replaces `older`.

    If both were written at the same moment, `newer` may not itself claim to be replaced.
    """
    if newer.view.created_at == older.view.created_at:
        return newer.ballot.replaced_by is None
    return newer.view.created_at > older.view.created_at


def kept_copy(claim: Claim, claims: Mapping[str, Claim]) -> str | None:
    """Id of the copy that stays, at the end of a chain of repeats.

    If copies name one another in a ring, the one with the best vote stays, then the best score.
    None if the copy that stays is this memory, or was not voted for.
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
    """Sort key of copies; the highest is kept: by vote, then by score, then by id."""
    return EFFECTS[claim.ballot.vote].relevance, claim.view.score, claim.ballot.memory_id
