"""What earlier sessions about similar questions teach, read from the cues they left.

They affect a recall in two ways, and the trace shows both: a factor on the relevance of memories
that helped or did not help, and a vote against memories that people refused.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from secondhop.nodes.state import Proved, RecallState, RecallUpdate, Vote
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Sharpening
from secondhop.stores.cues import CueHit, voted

MOST = 0.3
"""The most that sessions add to a memory's relevance, as a share of it. They subtract at most half
as much, because a cold vote often means just "not now"."""

MOST_ADDED = 4.0
"""The same for a score that is a sum of parts (`blend.py`). People said that the memory helped with
this question, which is more than most parts say. Of 2.5 to 6, it was best (docs/benchmarks.md)."""

PRIOR = 1.0
"""Smoothing, in votes: one vote has half of the full effect, several that agree nearly all."""

REFUSED_FROM = -0.75
"""A memory is kept out of answers if its sum of votes is at or below this: after two cold votes of
people or a wrong one, until they have faded."""

EARLIER = "earlier sessions"
"""The voter of round 0: people, in earlier sessions about similar questions."""


def proved_by(
    hits: Sequence[CueHit], cosines: Floats, *, alike: Sharpening, now: datetime
) -> Proved | None:
    """What the cues of sessions say; None if no session was about a similar question.

    Args:
        cosines: [n_hits], of each cue to the question.
        alike: cosine of two questions → how far they are about the same, 0..1.
    """
    votes: dict[str, float] = {}
    questions: dict[str, str] = {}
    refused: dict[str, str] = {}
    shares: list[float] = alike(cosines).tolist()
    for share, hit in sorted(zip(shares, hits, strict=True), key=lambda one: -one[0]):
        if share > 0:
            said = voted(hit.proved, datetime.fromisoformat(hit.proved_at), now)
            votes[hit.memory_id] = votes.get(hit.memory_id, 0.0) + share * said
            if said:
                (questions if said > 0 else refused).setdefault(hit.memory_id, hit.text)
    if not votes:
        return None
    rounded = {one: round(said, 4) for one, said in votes.items()}
    return Proved(votes=rounded, questions=questions, refused=refused)


def learned_of(proved: Proved) -> RecallUpdate:
    """The factors, and votes against what people refused."""
    votes = proved["votes"]
    return {
        "learned": {
            "factors": {one: factor_of(said) for one, said in votes.items() if said},
            "added": {one: added_by(said) for one, said in votes.items() if said},
            "questions": {one: q for one, q in proved["questions"].items() if votes[one] > 0},
            "refused": {one: q for one, q in proved["refused"].items() if votes[one] < 0},
        },
        "votes": earlier_votes(one for one, said in votes.items() if said <= REFUSED_FROM),
    }


def factor_of(votes: float) -> float:
    """The factor on relevance, 1 - MOST / 2 .. 1 + MOST: few votes say little.

    >>> factor_of(1.0), factor_of(3.0), factor_of(-1.0)
    (1.15, 1.225, 0.925)
    """
    most = MOST if votes > 0 else MOST / 2
    return round(1 + most * votes / (abs(votes) + PRIOR), 4)


def added_by(votes: float) -> float:
    """What votes add to a score that is a sum of parts.

    >>> added_by(1.0), added_by(3.0), added_by(-0.5)
    (2.0, 3.0, -0.6667)
    """
    most = MOST_ADDED if votes > 0 else MOST_ADDED / 2
    return round(most * votes / (abs(votes) + PRIOR), 4)


def learned_factor(memory_id: str, state: RecallState) -> float:
    """The factor of sessions on a memory's relevance; 1.0 if they say nothing about it."""
    return state["learned"]["factors"].get(memory_id, 1.0) if "learned" in state else 1.0


def earlier_votes(memory_ids: Iterable[str]) -> dict[str, Vote]:
    """Votes that keep memories out of the answer, before the first round."""
    return {
        f"{memory_id}|0": Vote(
            memory_id=memory_id,
            vote="cold",
            by=EARLIER,
            round=0,
            reason="people refused it for questions like this one",
            facet_ids=[],
            repeats=None,
            replaced_by=None,
            place=None,
        )
        for memory_id in memory_ids
    }
