"""The branches that sparks open. They are shown beside the answer, never in its slots."""

from collections.abc import Collection

from secondhop.nodes.selection.relevance import is_outside, last_votes
from secondhop.nodes.session.session_state import Branch, SessionState
from secondhop.nodes.state import Candidate
from secondhop.ranking.votes import IN_FAVOUR, SUPPRESSED


def main_candidates(state: SessionState) -> dict[str, Candidate]:
    """{memory id: candidate}, without memories that were voted for in a branch: they stay there."""
    in_branches = kept_in_branches(state)
    return {
        memory_id: candidate
        for memory_id, candidate in state.get("candidates", {}).items()
        if memory_id not in in_branches
    }


def kept_in_branches(state: SessionState) -> dict[str, str]:
    """{memory id: branch} for memories that people or agents voted for in a branch."""
    sparks = state.get("sparks", {})
    return {
        memory_id: vote["facet_ids"][0]
        for memory_id, vote in last_votes(state).items()
        if is_outside(vote)
        and vote["vote"] in IN_FAVOUR
        and vote["facet_ids"]
        and vote["facet_ids"][0] in sparks
    }


def branches_of(
    state: SessionState, taken: Collection[str], *, size: int, min_score: float
) -> list[Branch]:
    """The branch of each spark: the memories that were voted for there, then the best `size` of
    at least `min_score` that are shown nowhere else (`taken` are those of the answer)."""
    votes, kept = last_votes(state), kept_in_branches(state)
    refused = {one for one, vote in votes.items() if vote["vote"] in SUPPRESSED}
    gone = {*taken, *state.get("sparks", {}).values(), *kept, *refused}
    branches: list[Branch] = []
    for facet_id, memory_id in state.get("sparks", {}).items():
        own = [one for one, branch in kept.items() if branch == facet_id]
        new = [one for one in standing(facet_id, state, min_score=min_score) if one not in gone][
            :size
        ]
        gone |= {*own, *new}
        branches.append(Branch(facet_id=facet_id, sparked_by=memory_id, memory_ids=[*own, *new]))
    return branches


def standing(facet_id: str, state: SessionState, *, min_score: float) -> list[str]:
    """Ids of the memories with at least `min_score` in a facet, in the order of its ranking."""
    ranks = {
        memory_id: candidate["scores"][facet_id]["rank"]
        for memory_id, candidate in state.get("candidates", {}).items()
        if facet_id in candidate["scores"]
        and candidate["scores"][facet_id]["relevance"] >= min_score
    }
    return sorted(ranks, key=lambda memory_id: (ranks[memory_id], memory_id))
