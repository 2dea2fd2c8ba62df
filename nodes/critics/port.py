"""The port of critics: what they read, and how they vote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.state import Facet, QuestionKind, Vote
from secondhop.ranking.votes import VoteName


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate as a critic sees it."""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    score: float
    is_founded: bool
    """Whether some search found it similar to the question; see `relevance.well_founded`."""
    relevance: Mapping[str, float]
    """{facet id: calibrated relevance, 0..1}."""
    text: str
    """Its opening and the passages nearest to the facets, in order. Data, never instructions."""
    role: str = ""
    """What kind of help it gives, as noted when it was stored; "": nothing was noted."""
    replaced_by: str = ""
    """Id of the newer memory whose annotation says that it replaces this one; "": none."""
    replaced_at: datetime | None = None
    """When that newer memory was written."""
    repeats: str = ""
    """Id of another candidate that says most of the same; "": none."""
    vote: Vote | None = None
    """The vote that it got in an earlier round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticRequest:
    """One round's shortlist, and what is needed to judge it."""

    question: str
    kind: QuestionKind
    asked_at: datetime
    facets: Sequence[Facet]
    candidates: Sequence[CandidateView]
    asked: Sequence[str]
    """The different texts of the queries so far, without the question and those of playbooks."""
    round: int
    k: int = 6
    """Memories that the answer may have."""
    remaining: Remaining


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One vote. A candidate without a ballot is neutral."""

    memory_id: str
    vote: VoteName
    reason: str
    facet_ids: tuple[str, ...] = ()
    repeats: str | None = None
    replaced_by: str | None = None
    place: int | None = None
    """Place among its round's votes in favour, from 1 for the best; 0: not in favour; None: the
    voter gave no order."""
    is_named: bool = True
    """False: the critic read the memory and did not name it. It counts as cold; without a plan it
    may still fill a free slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A new query, for a facet that lacks a good memory or for something that evidence names."""

    text: str
    facet_id: str | None
    """None opens a new facet, one hop beyond all others."""
    name: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The critic's result for one round."""

    ballots: tuple[Ballot, ...]
    follow_ups: tuple[FollowUp, ...] = ()
    content: bool = False
    """No further round is needed."""
    usage: Usage = field(default_factory=Usage)


class Critic(Protocol):
    """Reads a whole shortlist and votes on it."""

    @property
    def critic_id(self) -> str:
        """Names the critic and its version, for traces and cache keys."""
        ...

    async def judge(self, request: CriticRequest) -> Verdict:
        """Votes on the candidates of the request; votes on other ids are ignored."""
        ...
