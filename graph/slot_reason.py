"""Why a memory got its slot in an answer, and which memory came next."""

from secondhop.graph.deciding import (
    comes_last,
    deciding,
    deciding_text,
    is_planned,
    is_weakened_look_up,
    keeps_hybrid_order,
    next_after,
    rivalling,
    slots_given,
)
from secondhop.graph.nearest_change import cast_by_others, is_founded, title_of
from secondhop.graph.trace import RecallTrace, TraceCandidate, TraceVote
from secondhop.nodes.pick import CLOSE_TO
from secondhop.nodes.state import FACT_NAMED
from secondhop.ranking.votes import AGAINST, IN_FAVOUR
from secondhop.wording import counted

LAST = "such memories come after the others"
"""What being close to one ahead means for the place of a memory."""


def slot_reason(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Its place in the answer, what gave it that place, and the memory that came next."""
    name = next((one.name for one in trace.facets if one.facet_id == candidate.slot_facet), "")
    facet = f" for “{name}”" if name else ""
    if trace.tokens is not None:
        budget = counted(trace.tokens, "token")
        return f"It is at place {candidate.slot}{facet} of an answer that fills {budget}."
    if not candidate.slot_facet and slots_given(trace):
        return "It is in a branch beside the answer and takes no slot."
    # in a session, memories that were voted for add slots
    slots = max(trace.k, len(slots_given(trace)))
    place = f"It took slot {candidate.slot} of {slots}{facet}"
    return f"{place}: {decided_by(trace, candidate)}.{next_best(trace, candidate)}"


def decided_by(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """What gave it the slot, with the deciding score if a score did."""
    vote = chosen_by(candidate)
    if vote is not None and vote.by != "critic":
        return f"what a {vote.by} votes {vote.vote} stays"
    if vote is not None and vote.place:
        return f"what the critic chose comes first, and this is at place {vote.place} of it"
    own = deciding_text(trace, candidate)
    votes = [vote for one in trace.candidates for vote in one.votes if vote.by == "critic"]
    if any(vote.place is not None for vote in votes):  # its order goes before all scores
        return left_by_critic(trace, candidate)
    if is_planned(trace):
        return f"facets share the slots, and its score for this one is {own}"
    if comes_last(trace, candidate):
        return f"it {put_back(trace, candidate)}, and {LAST}"
    if is_named(trace, candidate):
        return "facts that the question names come first"
    if keeps_hybrid_order(trace):
        return f"a look-up keeps the order of hybrid search, and its score there is {own}"
    return f"slots go by score, and it has {own}"


def left_by_critic(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Why a memory has a slot although the critic did not choose it."""
    votes = [chosen_by(one) for one in slots_given(trace)]
    chosen = sum(vote is not None and vote.by == "critic" for vote in votes)
    read = any(vote.by == "critic" for vote in candidate.votes)
    told = (
        f"the critic chose {chosen} of these {len(votes)}; this one, which it "
        f"{'read and did not choose' if read else 'did not read'}, fills a free slot with "
        f"{deciding_text(trace, candidate)}"
    )
    return f"{told}; it {put_back(trace, candidate)}" if comes_last(trace, candidate) else told


def next_best(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """A sentence about the memory that came next, with a leading space."""
    rival = next_after(trace, candidate.slot or 0)
    if rival is None:
        return " No other memory came after it."
    named = title_of(trace, rival.memory_id)
    vote, own = chosen_by(rival), chosen_by(candidate)
    if vote is not None or own is not None or is_named(trace, candidate):
        return f" Next came {named}."
    if not is_planned(trace) and deciding(trace, rival) > deciding(trace, candidate):
        back = f", but it {told}" if (told := put_back(trace, rival)) else ""
        return f" Next came {named}: its score is {deciding_text(trace, rival)}{back}."
    return f" Next came {named} with {rivalling(trace, rival, candidate)}."


def put_back(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Why a memory came after one with a lower score; it continues "it …". "": not known."""
    if candidate.close_to:
        return f"{CLOSE_TO} {title_of(trace, candidate.close_to)}"
    if candidate.outdated_by:
        return "is recorded as replaced by a newer one"
    if is_weakened_look_up(trace, candidate):
        return "is close to a newer one"
    refused = any(vote.vote in AGAINST for vote in cast_by_others(trace.candidates))
    return "is like what was voted down" if refused else ""


def last_because(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Why it comes last, in a few words; "" if it does not, or was voted for."""
    if chosen_by(candidate) is not None or not comes_last(trace, candidate):
        return ""
    return put_back(trace, candidate).removeprefix("is ")


def chosen_by(candidate: TraceCandidate) -> TraceVote | None:
    """The vote that counts, if it is in favour; else None."""
    by_others = [vote for vote in candidate.votes if vote.by != "critic"]
    newest = by_others[-1:] or [vote for vote in candidate.votes if is_founded(candidate)][-1:]
    return next((vote for vote in newest if vote.vote in IN_FAVOUR), None)


def is_named(trace: RecallTrace, candidate: TraceCandidate) -> bool:
    """Whether it is a fact that the question names."""
    named = (query for query in trace.queries if query.origin == FACT_NAMED and query.hop == 1)
    return any(hit.memory_id == candidate.memory_id for query in named for hit in query.dense)
