"""Why a memory got its slot in an answer, and which memory came next."""

from collections.abc import Sequence
from math import prod

from secondhop.graph.nearest_change import title_of
from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceVote
from secondhop.nodes.selection.relevance import NEWER, OF_THE_QUESTION, UNNAMED
from secondhop.nodes.state import DIRECT, FACT_NAMED, PLANNED
from secondhop.ranking.votes import IN_FAVOUR, SUPPRESSED
from secondhop.wording import counted


def slot_reason(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Its place in the answer, what gave it that place, and the memory that came next."""
    facet = for_facet(trace, candidate)
    if trace.tokens is not None:
        budget = counted(trace.tokens, "token")
        return f"It stands at place {candidate.slot}{facet} of an answer that fills {budget}."
    slots = max(trace.k, len(trace.returned))  # of a session's round, what was voted for has more
    place = f"It took slot {candidate.slot} of {slots}{facet}"
    return f"{place}: {decided_by(trace, candidate)}.{next_best(trace, candidate)}"


def decided_by(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """What gave it the slot, with the number that decided where there is one."""
    vote = chosen_by(candidate)
    if vote is not None and vote.by != "critic":
        return f"what a {vote.by} votes {vote.vote} stays"
    if vote is not None and vote.place:
        return f"the critic's order decides, and it stands there at place {vote.place}"
    if is_planned(trace):
        return (
            f"facets share the slots, and its score for this one is "
            f"{deciding(trace, candidate):.2f}"
        )
    if is_named(trace, candidate):
        return "facts that the question names come first"
    if keeps_hybrid_order(trace):
        return (
            f"a look-up keeps the order of hybrid search, and its score there is "
            f"{deciding(trace, candidate):.4f}"
        )
    what = "relevance" if trace.settings.get("slots.by") == "relevance" else "score"
    return f"slots go by {what}, and it has {deciding(trace, candidate):.2f}"


def next_best(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """The memory that came next, as a sentence after a space; "" when there was none."""
    rival = next_in_line(trace, candidate)
    if rival is None:
        return " No other memory could have had it."
    named = title_of(trace, rival.memory_id)
    vote, own = chosen_by(rival), chosen_by(candidate)
    if vote is not None or own is not None or is_named(trace, candidate):
        return f" Next came {named}."
    digits = 4 if not is_planned(trace) and keeps_hybrid_order(trace) else 2
    if was_voted_against(trace) and deciding(trace, rival) > deciding(trace, candidate):
        return (
            f" Next came {named}: its score is {deciding(trace, rival):.{digits}f}, but it is like "
            f"what was voted down, or repeats another memory."
        )
    return f" Next came {named} with {deciding(trace, rival):.{digits}f}."


def next_in_line(trace: RecallTrace, candidate: TraceCandidate) -> TraceCandidate | None:
    """The memory in the next slot; after the last slot, the best that got none."""
    after = (candidate.slot or 0) + 1
    for other in trace.candidates:
        ranks = [drop.rank for drop in other.drops if drop.stage == "pick" and drop.rank]
        if after == (other.slot or (ranks[-1] if ranks else None)):
            return other
    return None


def deciding_scores(trace: RecallTrace) -> dict[str, float]:
    """{memory: the score that decided whether it got a slot}, of all that the trace tells of."""
    return {one.memory_id: round(deciding(trace, one), 4) for one in trace.candidates}


def deciding(trace: RecallTrace, candidate: TraceCandidate) -> float:
    """The number by which slots were given: relevance to its facet, a look-up's fused rank score,
    or the score; each with the factors on it."""
    of_facet = {score.facet_id: score for score in candidate.facet_scores}
    if is_planned(trace):
        own = of_facet.get(candidate.slot_facet)
        score = own.relevance if own else candidate.score
        but = () if candidate.slot_facet == DIRECT else (OF_THE_QUESTION,)
        return min(1.0, score * weight(candidate, but=but))
    by = trace.settings.get("slots.by")
    if by in ("hybrid ranks", "relevance"):
        own = of_facet.get(DIRECT)
        measure = own and (own.fused if by == "hybrid ranks" else own.relevance)
        return (measure or 0.0) * weight(candidate, but=(NEWER, UNNAMED))
    return min(1.0, candidate.score * weight(candidate))


def weight(candidate: TraceCandidate, *, but: Sequence[str] = ()) -> float:
    """What its factors make of relevance, all together; `but` those that do not count there."""
    return prod(factor for name, factor in candidate.factors.items() if name not in but)


def chosen_by(candidate: TraceCandidate) -> TraceVote | None:
    """The vote in favour that counts; None where there is none."""
    by_others = [vote for vote in candidate.votes if vote.by != "critic"]
    newest = (by_others or candidate.votes)[-1:]
    return next((vote for vote in newest if vote.vote in IN_FAVOUR), None)


def was_voted_against(trace: RecallTrace) -> bool:
    """Whether something was voted down, which lowers what is like it."""
    return any(vote.vote in SUPPRESSED for one in trace.candidates for vote in one.votes)


def is_planned(trace: RecallTrace) -> bool:
    """Whether a planner said what to look for."""
    return any(query.origin in PLANNED for query in trace.queries)


def keeps_hybrid_order(trace: RecallTrace) -> bool:
    """Whether slots went by the ranks of hybrid search."""
    return trace.settings.get("slots.by") == "hybrid ranks"


def is_named(trace: RecallTrace, candidate: TraceCandidate) -> bool:
    """Whether it is a fact that the question names."""
    named = (query for query in trace.queries if query.origin == FACT_NAMED and query.hop == 1)
    return any(hit.memory_id == candidate.memory_id for query in named for hit in query.dense)


def for_facet(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """The facet that gave it its slot; "" when the trace does not say."""
    names = {facet.facet_id: facet.name for facet in trace.facets}
    name = names.get(candidate.slot_facet)
    return f" for “{name}”" if name else ""
