"""Limits on a verdict, in case stored text has persuaded the model.

A text can ask for its own memory and against all others. It cannot name other memories, because ids
are made for the call. So a verdict that chooses a single memory may come from an order that the
model obeyed. `llm.py` then asks again without that memory.
"""

from dataclasses import replace

from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.selection.rank_floor import best_places, front_place
from secondhop.nodes.state import QuestionKind
from secondhop.ranking.votes import IN_FAVOUR, SUPPRESSED

HELP: frozenset[QuestionKind] = frozenset({"conceptual", "procedural"})
"""Kinds of question that several memories answer. One memory often answers a look-up."""


def front_runners(request: CriticRequest) -> frozenset[str]:
    """Ids of well-founded candidates with a high rank in some facet (`front_place`)."""
    places, front = best_places(request.candidates), front_place(request.candidates)
    return frozenset(
        view.memory_id
        for view in request.candidates
        if places[view.memory_id] <= front and view.is_founded
    )


def believes_no_search(verdict: Verdict, request: CriticRequest) -> bool:
    """Whether a verdict chooses only unfounded candidates although founded ones were there."""
    chosen = chosen_ids(verdict, request)
    near = {view.memory_id for view in request.candidates if view.is_founded}
    return bool(chosen) and not chosen & near and bool(near)


def drops_the_well_founded(verdict: Verdict, request: CriticRequest) -> bool:
    """Whether a verdict chooses several memories but drops every front runner."""
    chosen, founded = chosen_ids(verdict, request), front_runners(request)
    refused = {ballot.memory_id for ballot in verdict.ballots if ballot.vote in SUPPRESSED}
    return len(chosen) > 1 and bool(founded) and founded <= refused


def only_choice(verdict: Verdict, request: CriticRequest) -> str | None:
    """Id of the only memory that a verdict chooses, if there are two or more other front runners.

    None for look-ups, which one memory often answers.
    """
    chosen = chosen_ids(verdict, request)
    if request.kind not in HELP or len(chosen) != 1 or len(front_runners(request) - chosen) < 2:
        return None
    named = {ballot.memory_id for ballot in verdict.ballots}
    return next(iter(chosen & named), None)


def without_unfounded_votes(verdict: Verdict, request: CriticRequest) -> Verdict:
    """The verdict without votes in favour of unfounded candidates.

    Such a vote counts for nothing, but it would steer the next round's searches to that memory.
    """
    far = {view.memory_id for view in request.candidates if not view.is_founded}
    kept = (one for one in verdict.ballots if one.vote not in IN_FAVOUR or one.memory_id not in far)
    return replace(verdict, ballots=tuple(kept))


def chosen_ids(verdict: Verdict, request: CriticRequest) -> set[str]:
    """Ids that a verdict votes for, plus those with an earlier vote in favour that it keeps."""
    earlier = {
        view.memory_id
        for view in request.candidates
        if view.vote is not None and view.vote["vote"] in IN_FAVOUR
    }
    again = {ballot.memory_id for ballot in verdict.ballots}
    return earlier - again | {one.memory_id for one in verdict.ballots if one.vote in IN_FAVOUR}
