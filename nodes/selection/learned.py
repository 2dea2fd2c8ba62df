"""What earlier sessions about similar questions teach, read from the cues they left.

They affect a recall in two ways, and the trace shows both: a factor on the relevance of memories
that helped or did not help, and a vote against memories that people refused.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import exp

from secondhop.nodes.effort import is_unplanned
from secondhop.nodes.selection.answerable import is_text_look_up
from secondhop.nodes.state import Candidate, Proved, RecallState, RecallUpdate, Vote
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Sharpening
from secondhop.stores.cues import CueHit, votes_left

MOST = 0.3
"""The most that sessions add to a memory's relevance, as a share of it. They subtract at most half
as much, because a cold vote often means just "not now"."""

MOST_ODDS = 3.5
"""The same for the logarithm of the odds of a score that is a chance (`blend.py`). People said that
the memory helped with this question, which tells more than any part of the score does."""

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
    """What the cues of sessions say; None if no session was about a similar question. `cosines`:
    of each cue to the question; `alike`: cosine of two questions → how far they are about the
    same, 0..1."""
    votes: dict[str, float] = {}
    questions: dict[str, str] = {}
    refused: dict[str, str] = {}
    shares: list[float] = alike(cosines).tolist()
    for share, hit in sorted(zip(shares, hits, strict=True), key=lambda one: -one[0]):
        if share > 0:
            said = votes_left(hit.proved, datetime.fromisoformat(hit.proved_at), now)
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


def learned_factor(candidate: Candidate, state: RecallState) -> float:
    """The factor of sessions on a memory's relevance; 1.0 if they say nothing about it.

    If a sum of parts decides, the score is a chance p; with its odds p / (1 - p) times e^x, it
    becomes p / (p + (1 - p) e^-x).
    """
    learned = state.get("learned")
    factor = 1.0 if learned is None else learned["factors"].get(candidate["memory_id"], 1.0)
    is_chance = "parts" in candidate and is_unplanned(state) and not is_text_look_up(state)
    if factor == 1.0 or not is_chance:
        return factor
    chance, odds = candidate["score"], MOST_ODDS * (factor - 1) / MOST
    return round(1 / (chance + (1 - chance) * exp(-odds)), 4)


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
