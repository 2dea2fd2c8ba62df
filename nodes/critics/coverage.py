"""The critic without a model: what is covered, what is empty, and what the evidence names."""

import re
from collections.abc import Iterable, Sequence

from secondhop.nodes.critics.port import Ballot, CandidateView, CriticRequest, FollowUp, Verdict
from secondhop.nodes.planning.feedback_terms import feedback_query
from secondhop.nodes.state import VoteName
from secondhop.ranking.keyphrases import key_phrases

HOT = 0.55
"""Calibrated relevance from which on a memory is exactly right for a facet."""

LEADS = 3
"""Names found in evidence that are followed a round."""

LEAD_WEIGHT = 0.3
"""Weight of a facet that a name in the evidence opened, against 1 for a planned one."""

SPEAKER = re.compile(r"^\w[\w .'-]{0,30}: ", re.M)
"""Who speaks, at the beginning of a turn."""

REPEATS = 0.55
"""Coverage by a better candidate from which on a memory repeats it."""


class CoverageCritic:
    """Votes by calibrated relevance and coverage; asks on for names that good evidence holds."""

    def __init__(
        self, *, min_score: float = 0.35, leads: int = LEADS, feedback_terms: int = 0
    ) -> None:
        """`feedback_terms`: words of the best evidence that a second query adds; 0: no such."""
        self._min_score = min_score
        self._leads = leads
        self._feedback_terms = feedback_terms

    @property
    def critic_id(self) -> str:
        """Its name."""
        return "coverage"

    async def judge(self, request: CriticRequest) -> Verdict:
        """Hot and warm by relevance; no vote against what may yet be found by a better query."""
        ballots = [
            self._ballot(candidate, request)
            for candidate in request.candidates
            if candidate.score >= self._min_score
        ]
        leads = self._follow_ups(request) if request.round == 1 else ()
        if request.round == 1 and self._feedback_terms and request.kind == "conceptual":
            leads += self._fed_back(request)  # who looks one thing up is led away by more words
        return Verdict(
            ballots=tuple(ballots),
            empty_facets=tuple(self._empty(request)),
            follow_ups=leads,
            content=not leads,
        )

    def _ballot(self, candidate: CandidateView, request: CriticRequest) -> Ballot:
        vote: VoteName = "hot" if candidate.score >= HOT else "warm"
        repeats = repeated_by(candidate, request)
        newer = request.replaced_by.get(candidate.memory_id)
        reason = f"relevance {candidate.score:.2f}"
        if newer is not None:
            vote, reason = "warm", f"{reason}; {newer} is newer and seems to replace it"
        elif repeats is not None:
            vote, reason = "warm", f"{reason}; repeats {repeats}"
        return Ballot(
            memory_id=candidate.memory_id,
            vote=vote,
            reason=reason,
            repeats=repeats,
            replaced_by=newer,
        )

    def _empty(self, request: CriticRequest) -> Iterable[str]:
        for facet in request.facets:
            best = max(
                (c.relevance.get(facet["facet_id"], 0.0) for c in request.candidates), default=0.0
            )
            if best < self._min_score:
                yield facet["facet_id"]

    def _follow_ups(self, request: CriticRequest) -> tuple[FollowUp, ...]:
        """Names in the best evidence that neither the question nor a query holds."""
        asked = " ".join([request.question, *request.asked]).casefold()
        hops = {facet["facet_id"]: facet["hop"] for facet in request.facets}
        leads: dict[str, FollowUp] = {}
        for candidate in request.candidates:
            if len(leads) >= self._leads:
                break  # reading for names is the dearest part of a verdict
            if candidate.score < HOT or not candidate.relevance:
                continue
            facet_id = max(candidate.relevance, key=lambda f: (candidate.relevance[f], f))
            for name in names_in(candidate.evidence[:1]):
                if name.casefold() not in asked and len(leads) < self._leads:
                    leads.setdefault(name.casefold(), lead(name, candidate, hops[facet_id]))
        return tuple(leads.values())

    def _fed_back(self, request: CriticRequest) -> tuple[FollowUp, ...]:
        """The question once more, in the words of the best evidence."""
        again = feedback_query(request, terms=self._feedback_terms, min_score=self._min_score)
        return (again,) if again is not None else ()


def repeated_by(candidate: CandidateView, request: CriticRequest) -> str | None:
    """The better candidate that says most of it, if one says enough."""
    better = {
        other.memory_id
        for other in request.candidates
        if (other.score, candidate.memory_id) > (candidate.score, other.memory_id)
    }
    said = {
        other: share
        for other, share in request.coverage.get(candidate.memory_id, {}).items()
        if other in better and share >= REPEATS
    }
    return max(said, key=lambda other: (said[other], other)) if said else None


def names_in(texts: Sequence[str]) -> list[str]:
    """The names and identifiers of evidence, most telling first; speakers' labels are none."""
    found = (phrase for text in texts for phrase in key_phrases(SPEAKER.sub("", text), n=6))
    return [phrase.phrase for phrase in found if phrase.kind in {"name", "identifier"}]


def lead(name: str, candidate: CandidateView, hop: int) -> FollowUp:
    """A facet for a name that the evidence of a good memory holds."""
    return FollowUp(
        text=name,
        facet_id=None,
        name=name,
        why=f"Named in “{candidate.title}”.",
        source_hop=hop if hop > 1 else 2,
        weight=LEAD_WEIGHT,
    )
