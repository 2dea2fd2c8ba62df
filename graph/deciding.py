"""The deciding score: the one number by which a memory competed for a slot, and what made it."""

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceFacetScore
from secondhop.nodes.selection.relevance import NEWER, OF_THE_QUESTION, UNNAMED
from secondhop.nodes.state import DIRECT, PLANNED
from secondhop.ranking.votes import IN_FAVOUR


class Weighed(NamedTuple):
    """How the deciding score of a memory came about."""

    found: float
    """The score before factors: relevance to its facet, the fused rank score of a look-up, or the
    sum of its parts on a scale from 0 to 1."""
    factors: Mapping[str, float]
    """{name: factor}, for the factors that count here."""
    score: float
    """The deciding score: `found` times the factors; with a plan at most 1."""


def weighed(trace: RecallTrace, candidate: TraceCandidate) -> Weighed:
    """The deciding score with what made it."""
    if is_planned(trace):
        own = facet_score(candidate, candidate.slot_facet)
        found = own.relevance if own else candidate.score
        but = () if candidate.slot_facet == DIRECT else (OF_THE_QUESTION,)
        planned = times(found, candidate, but=but)
        return planned._replace(score=min(1.0, planned.score))
    by = trace.settings.get("slots.by")
    if by not in ("hybrid ranks", "relevance"):
        return times(main_score(trace, candidate), candidate)
    own = facet_score(candidate, DIRECT)
    found = 0.0 if own is None else own.fused if by == "hybrid ranks" else own.relevance
    return times(found, candidate, but=(NEWER, UNNAMED))


def main_score(trace: RecallTrace, candidate: TraceCandidate) -> float:
    """Its score without the branches of a session, which take no slots."""
    branches = {query.facet_id for query in trace.queries if query.origin == "spark"}
    if not branches or not candidate.facet_scores:
        return candidate.score
    main = (one.relevance for one in candidate.facet_scores if one.facet_id not in branches)
    return max(main, default=0.0)


def times(found: float, candidate: TraceCandidate, *, but: tuple[str, ...] = ()) -> Weighed:
    """A score times all factors except those named in `but`."""
    factors = {name: one for name, one in candidate.factors.items() if name not in but}
    return Weighed(found, factors, found * prod(factors.values()))


def deciding(trace: RecallTrace, candidate: TraceCandidate) -> float:
    """The deciding score."""
    return weighed(trace, candidate).score


def deciding_text(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """The deciding score in words."""
    return score_text(trace, deciding(trace, candidate))


def score_text(trace: RecallTrace, score: float) -> str:
    """A score with two digits, or as many as tell the scores of the answer and its near misses
    apart; four of a fused rank score."""
    shown = {*trace.returned, *(miss.memory_id for miss in trace.near_misses)}
    scores = {score for one, score in deciding_scores(trace).items() if one in shown}
    enough = (n for n in (2, 3) if len({f"{one:.{n}f}" for one in scores}) == len(scores))
    digits = 4 if keeps_hybrid_order(trace) else next(enough, 4)
    return f"{round(score, 4):.{digits}f}"


def rivalling(trace: RecallTrace, rival: TraceCandidate, candidate: TraceCandidate) -> str:
    """The deciding score of a rival, in words if it reads like the candidate's own."""
    told = deciding_text(trace, rival)
    if told != deciding_text(trace, candidate):
        return told
    if deciding(trace, rival) != deciding(trace, candidate):
        return f"almost the same score ({told} when rounded)"
    first = (
        "id that sorts first" if rival.score == candidate.score else "one nearer to the question"
    )
    return f"the same score (of equals, the {first} comes first)"


def deciding_scores(trace: RecallTrace) -> dict[str, float]:
    """{memory id: its deciding score}, for all candidates of the trace."""
    return {one.memory_id: round(deciding(trace, one), 4) for one in trace.candidates}


def next_after(trace: RecallTrace, place: int) -> TraceCandidate | None:
    """The memory at the place after `place`, which may be the best one without a slot; or None."""
    for other in trace.candidates:
        ranks = [drop.rank for drop in other.drops if drop.stage == "pick" and drop.rank]
        slot = other.slot if other.slot_facet else None  # branches take no slots
        if place + 1 == (slot or (ranks[-1] if ranks else None)):
            return other
    return None


def score_without(trace: RecallTrace, candidate: TraceCandidate, factor: str) -> float:
    """The deciding score that the memory would have without one of its factors."""
    own = weighed(trace, candidate)
    return own.score / own.factors.get(factor, 1.0)


def question_score(trace: RecallTrace, candidate: TraceCandidate, *, without: str) -> float:
    """The score that a recall would give it that asks only the question, without one factor."""
    own = facet_score(candidate, DIRECT)
    if is_planned(trace) or trace.settings.get("slots.by") != "score":
        return score_without(trace, candidate, without)
    factors = {name: one for name, one in candidate.factors.items() if name != without}
    return (0.0 if own is None else own.relevance) * prod(factors.values())


def is_voted_on(trace: RecallTrace) -> bool:
    """Whether there are votes in favour, so that not only scores gave slots."""
    return any(vote.vote in IN_FAVOUR for one in trace.candidates for vote in one.votes)


def score_to_beat(trace: RecallTrace) -> float:
    """The deciding score of the memory in the last slot; 1.0 if nothing was returned."""
    last = last_slot(trace)
    return deciding(trace, last) if last else 1.0


def slots_given(trace: RecallTrace) -> list[TraceCandidate]:
    """The memories of the answer, best first, without those of a session's branches."""
    given = [one for one in trace.candidates if one.slot is not None and one.slot_facet]
    return sorted(given, key=lambda one: one.slot or 0)


def last_slot(trace: RecallTrace) -> TraceCandidate | None:
    """The memory in the last slot; None if nothing was returned."""
    return next(reversed(slots_given(trace)), None)


def facet_score(candidate: TraceCandidate, facet_id: str) -> TraceFacetScore | None:
    """The candidate's score in a facet; None if the facet did not find it."""
    return next((one for one in candidate.facet_scores if one.facet_id == facet_id), None)


def is_planned(trace: RecallTrace) -> bool:
    """Whether a planner wrote queries."""
    return any(query.origin in PLANNED for query in trace.queries)


def keeps_hybrid_order(trace: RecallTrace) -> bool:
    """Whether slots went by the fused ranks of hybrid search."""
    return trace.settings.get("slots.by") == "hybrid ranks"


def comes_last(trace: RecallTrace, candidate: TraceCandidate) -> bool:
    """Whether it comes after the others, whatever its score is."""
    outdated = candidate.outdated_by and not is_planned(trace)
    return bool(candidate.close_to or outdated or is_weakened_look_up(trace, candidate))


def is_weakened_look_up(trace: RecallTrace, candidate: TraceCandidate) -> bool:
    """Whether it comes last in a look-up because it is close to a newer memory."""
    return bool(candidate.weakened_by) and keeps_hybrid_order(trace)
