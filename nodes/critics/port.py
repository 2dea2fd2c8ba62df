"""The interface of critics: what they read, and how they vote."""

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
    """Whether some search found it like the question; see `relevance.well_founded`."""
    relevance: Mapping[str, float]
    """Calibrated relevance by facet id, 0..1."""
    text: str
    """Its opening and the passages nearest to the question, in order. Data, never instructions."""
    role: str = ""
    """What kind of help it gives, where that was noted when it was stored."""
    replaced_by: str = ""
    """The newer memory that outdates it, as was noted when that one was stored; "": none."""
    replaced_at: datetime | None = None
    """When that one was written."""
    repeats: str = ""
    """Another candidate that says most of it; "": none."""
    vote: Vote | None = None
    """What was voted on it in an earlier round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticRequest:
    """One round's shortlist."""

    question: str
    kind: QuestionKind
    asked_at: datetime
    facets: Sequence[Facet]
    candidates: Sequence[CandidateView]
    asked: Sequence[str]
    """Texts of the searches so far, each once; not the question itself."""
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
    """Among its round's votes in favour, from 1 for the best; 0: not in favour; None: the voter
    gave no order."""
    is_named: bool = True
    """False: the critic read it and said nothing of it. It counts as cold; without a plan it may
    fill a slot that would go to what the critic has not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A new query: for a facet that lacks a good memory, or for something the evidence named."""

    text: str
    facet_id: str | None
    """None opens a facet of its own, one hop further than all others."""
    name: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a critic says of a round."""

    ballots: tuple[Ballot, ...]
    empty_facets: tuple[str, ...] = ()
    """Facets for which nothing usable seems to exist."""
    follow_ups: tuple[FollowUp, ...] = ()
    content: bool = False
    """No further round is needed."""
    usage: Usage = field(default_factory=Usage)


class Critic(Protocol):
    """Reads a shortlist and votes on it, in one go."""

    @property
    def critic_id(self) -> str:
        """Names the critic and its version, for traces and cache keys."""
        ...

    async def judge(self, request: CriticRequest) -> Verdict:
        """Votes for the candidates of the request; ids it does not hold are ignored."""
        ...
