"""Checks what a ballot claims about two memories: that one repeats or replaces the other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from secondhop.nodes.critics.port import Ballot, CandidateView
from secondhop.prompts.quoting import title_line
from secondhop.ranking.votes import EFFECTS, IN_FAVOUR, SUPPRESSED


@dataclass(frozen=True, slots=True)
class Claim:
    """A ballot as the model cast it, before its claims about other memories are checked."""

    view: CandidateView
    ballot: Ballot


def settled(claim: Claim, claims: Mapping[str, Claim]) -> Ballot:
    """The ballot after its claims have been checked; without a reason they become its reason."""
    ballot = checked(claim, claims)
    return ballot if ballot.reason else replace(ballot, reason=claimed(ballot, claim, claims))


def claimed(ballot: Ballot, claim: Claim, claims: Mapping[str, Claim]) -> str:
    """What a ballot claims, in words; "" without a claim. A memory that is left out as a copy is
    called one even if the other is left out, too."""
    copied = claim.ballot.repeats if ballot.vote in SUPPRESSED else ballot.repeats
    other = claims.get(ballot.replaced_by or copied or "")
    if other is None:
        return ""
    title = title_line(other.view.title)
    return f"replaced by the newer “{title}”" if ballot.replaced_by else f"it repeats “{title}”"


def checked(claim: Claim, claims: Mapping[str, Claim]) -> Ballot:
    """The ballot without claims that do not hold, and with the vote that follows from the others.

    A memory replaced by one that is not older is wrong. One that repeats a memory that stays is
    cold, or stays wrong. Claims that do not hold are removed: an older replacement, or a copy that
    was voted down.
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
    """Whether the dates allow it; with equal dates, `newer` may not claim to be replaced itself."""
    if newer.view.created_at == older.view.created_at:
        return newer.ballot.replaced_by is None
    return newer.view.created_at > older.view.created_at


def kept_copy(claim: Claim, claims: Mapping[str, Claim]) -> str | None:
    """Id of the copy that stays, at the end of a chain of repeats; None if it is this memory, or if
    it was not voted for.

    In a ring of copies, the one with the best vote stays, then the best score.
    """
    chain = [claim.ballot.memory_id]
    following = claim.ballot.repeats
    while following is not None and following in claims and following not in chain:
        chain.append(following)
        following = claims[following].ballot.repeats
    ring = chain[chain.index(following) :] if following and following in chain else chain[-1:]
    best = max((claims[memory_id] for memory_id in ring), key=claim_rank)
    if best.ballot.memory_id == claim.ballot.memory_id or best.ballot.vote not in IN_FAVOUR:
        return None
    return best.ballot.memory_id


def claim_rank(claim: Claim) -> tuple[float, float, str]:
    """Sort key of copies; the highest is kept: by vote, then by score, then by id."""
    return EFFECTS[claim.ballot.vote].relevance, claim.view.score, claim.ballot.memory_id
