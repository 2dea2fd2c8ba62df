"""Limits on a verdict, in case stored text has persuaded the model.

A text can ask for its own memory and against all others; it cannot name other memories, for ids are
drawn for the call. So a verdict in which everything hangs on one memory is the shape of an order
that was obeyed. `llm.py` asks again without that memory.
"""

from dataclasses import replace

from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.selection.rank_floor import best_places, front_place
from secondhop.nodes.state import QuestionKind
from secondhop.ranking.votes import IN_FAVOUR, SUPPRESSED

HELP: frozenset[QuestionKind] = frozenset({"conceptual", "procedural"})
"""Questions that several memories answer; a look-up is often answered by one."""


def front_runners(request: CriticRequest) -> frozenset[str]:
    """Well-founded candidates that the searches rank high for some facet."""
    places, front = best_places(request.candidates), front_place(request.candidates)
    return frozenset(
        view.memory_id
        for view in request.candidates
        if places[view.memory_id] <= front and view.is_founded
    )


def believes_no_search(verdict: Verdict, request: CriticRequest) -> bool:
    """Whether a verdict chooses only what no search found near, though better was there."""
    chosen = chosen_ids(verdict, request)
    near = {view.memory_id for view in request.candidates if view.is_founded}
    return bool(chosen) and not chosen & near and bool(near)


def drops_the_well_founded(verdict: Verdict, request: CriticRequest) -> bool:
    """Whether a verdict drops every well-founded candidate in favour of poorly ranked ones."""
    chosen, founded = chosen_ids(verdict, request), front_runners(request)
    return len(chosen) > 1 and bool(founded) and founded <= refused_ids(verdict)


def only_choice(verdict: Verdict, request: CriticRequest) -> str | None:
    """The one memory that a verdict chooses, where two or more others are well founded.

    None for look-ups, which one memory often answers.
    """
    chosen = chosen_ids(verdict, request)
    if request.kind not in HELP or len(chosen) != 1 or len(front_runners(request) - chosen) < 2:
        return None
    named = {ballot.memory_id for ballot in verdict.ballots}
    return next(iter(chosen & named), None)


def without_unfounded_votes(verdict: Verdict, request: CriticRequest) -> Verdict:
    """A verdict without votes in favour of what no search found near.

    Such a vote gives no place, and it would steer the next round's searches to that memory.
    """
    far = {view.memory_id for view in request.candidates if not view.is_founded}
    kept = (one for one in verdict.ballots if one.vote not in IN_FAVOUR or one.memory_id not in far)
    return replace(verdict, ballots=tuple(kept))


def chosen_ids(verdict: Verdict, request: CriticRequest) -> set[str]:
    """What a verdict votes for, and what it leaves as it was voted for before."""
    earlier = {
        view.memory_id
        for view in request.candidates
        if view.vote is not None and view.vote["vote"] in IN_FAVOUR
    }
    again = {ballot.memory_id for ballot in verdict.ballots}
    return earlier - again | {one.memory_id for one in verdict.ballots if one.vote in IN_FAVOUR}


def refused_ids(verdict: Verdict) -> set[str]:
    """What a verdict keeps out of the answer."""
    return {ballot.memory_id for ballot in verdict.ballots if ballot.vote in SUPPRESSED}
