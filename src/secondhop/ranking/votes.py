"""The votes on a memory: what each says and does.

To add a vote, add its name to `VoteName` and a row to `EFFECTS`. Its numbers decide what it does to
slots, queries, passages and learning, and the schemas of the critic, HTTP and MCP list it. Then

- tell the model when to cast it, in `prompts/critique.md`;
- add a field to `VotesOfRound` in `graph/session_result.py`;
- add it to the page, in `src/secondhop/server/static`: a button (`answer.js`), and on which side
  its marks count (`session.js`, `compare.js`, `recalls.js`).

A vote whose relevance is 0 is one of `SUPPRESSED`: the critic refuses with it.

A vote that does what no number says has code of its own, as `spark` in `nodes/reconsider.py` and
`wrong` in `nodes/selection/supersession.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

VoteName: TypeAlias = Literal["hot", "warm", "cold", "wrong", "spark"]

VOTES: Final[tuple[VoteName, ...]] = get_args(VoteName)
"""Every vote, in the order in which votes are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteEffect:
    """What one vote says and does."""

    says: str
    """Its meaning, for people and agents who vote."""
    relevance: float = 0.0
    """Relevance of the memory to the facets that the vote names; higher comes first. 0 keeps the
    memory out of the answer."""
    passages: float = 1.0
    """Factor for the scores of the memory's passages when they fill a budget of tokens."""
    pull: float = 0.0
    """How far the vote moves the next query towards the memory; below 0, away from it. In a facet
    without a vote in favour, a negative pull instead lowers memories that say the same, by up to
    this share."""
    credit: float = 0.0
    """What learning credits the memory with when the session is resolved."""


EFFECTS: Final[Mapping[VoteName, VoteEffect]] = {
    "hot": VoteEffect(says="exactly right", relevance=0.95, passages=1.5, pull=1.0, credit=1.0),
    "warm": VoteEffect(says="getting closer", relevance=0.65, passages=1.2, pull=0.4, credit=0.5),
    "cold": VoteEffect(says="not meant", pull=-0.3, credit=-0.5),
    "wrong": VoteEffect(says="misleading", pull=-0.6, credit=-1.0),
    "spark": VoteEffect(says="not the answer, but it leads to something"),
}

IN_FAVOUR: Final[frozenset[VoteName]] = frozenset(
    name for name, effect in EFFECTS.items() if effect.relevance > 0
)
"""Votes that give a memory a place in the answer."""

SUPPRESSED: Final[frozenset[VoteName]] = frozenset(VOTES) - IN_FAVOUR
"""Votes that keep a memory out of the answer; a spark opens a branch of its own instead."""

AGAINST: Final[tuple[VoteName, ...]] = tuple(
    name for name, effect in EFFECTS.items() if effect.pull < 0
)
"""Votes that push the next query and similar memories away."""
