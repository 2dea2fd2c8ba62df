"""Rules that say whether a session's answer would still change."""

from collections.abc import Sequence

from secondhop.nodes.selection.relevance import is_outside
from secondhop.nodes.session.session_state import SessionState
from secondhop.nodes.session.voting import shown_ever
from secondhop.nodes.stopping import nearly_same
from secondhop.ranking.votes import IN_FAVOUR


def settled(state: SessionState, shown: Sequence[str]) -> tuple[bool, str]:
    """(whether another round would hardly bring anything, why). A hint only; voting may go on."""
    if not shown:
        return True, "nothing stored is near enough to the question"
    seen = set(shown_ever(state))
    new = [memory_id for memory_id in shown if memory_id not in seen]
    if not new:
        return True, "the last round brought nothing that was not shown before"
    accepted = accepted_by_round(state)
    if len(accepted) > 1 and nearly_same(*accepted[-2:]):
        return True, "the votes of two rounds agree: what is good was found"
    return False, f"{len(new)} of {len(shown)} memories are new"


def accepted_by_round(state: SessionState) -> list[frozenset[str]]:
    """For each round with votes, the ids that people and agents had voted for by then."""
    votes = [vote for vote in state.get("votes", {}).values() if is_outside(vote)]
    history: list[frozenset[str]] = []
    good: dict[str, bool] = {}
    for number in sorted({vote["round"] for vote in votes}):
        good |= {v["memory_id"]: v["vote"] in IN_FAVOUR for v in votes if v["round"] == number}
        history.append(frozenset(memory_id for memory_id, yes in good.items() if yes))
    return history
