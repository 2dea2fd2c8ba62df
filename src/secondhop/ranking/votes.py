"""The votes on a memory: what each says, and what it does. A new vote is one more row here.

What a model is told of them is in `prompts/critique.md`, the buttons of the page are in
`server/static/answer.js`, and a resolved session has a field for each in `graph/session_result.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

VoteName: TypeAlias = Literal["hot", "warm", "cold", "wrong", "spark"]

VOTES: Final[tuple[VoteName, ...]] = get_args(VoteName)
"""Every vote, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteEffect:
    """What one vote says and does."""

    says: str
    """To people and agents who vote."""
    relevance: float = 0.0
    """Relevance of the memory to the facets that the vote names; 0 keeps it out of the answer.
    The higher comes first."""
    passages: float = 1.0
    """Multiplies the scores of its passages where they fill a budget of tokens."""
    pull: float = 0.0
    """How far it moves the next query towards the memory. Below 0 it moves it away; in a facet
    without a vote in favour, memories that say the same lose up to this share instead."""
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
