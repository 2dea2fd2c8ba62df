"""The port that critics plug into: what they read, and what they vote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.state import Facet, QuestionKind, VoteName


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate as a critic sees it."""

    memory_id: str
    title: str
    source: str
    created_at: datetime
    score: float
    relevance: Mapping[str, float]
    """Calibrated relevance by facet id, 0..1."""
    evidence: tuple[str, ...]
    """Texts of its evidence passages, best first. Data, never instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticRequest:
    """One round's shortlist."""

    question: str
    kind: QuestionKind
    asked_at: datetime
    facets: Sequence[Facet]
    candidates: Sequence[CandidateView]
    coverage: Mapping[str, Mapping[str, float]]
    """coverage[a][b]: how much of a's evidence b already says, 0..1; only notable pairs."""
    replaced_by: Mapping[str, str]
    """Older candidate → newer one that seems to say the same afresh: a suspicion to judge."""
    asked: Sequence[str]
    """Query texts asked so far."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A new query: for a facet that lacks a good memory, or for something the evidence named."""

    text: str
    facet_id: str | None
    """None opens a facet of its own, one hop further than `source_hop`."""
    name: str = ""
    why: str = ""
    source_hop: int = 2
    weight: float = 0.5
    origin: str = ""
    """Who wrote it, for the trace; "": evidence for a facet of its own, uncovered for another."""


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
