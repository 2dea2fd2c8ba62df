"""What votes of earlier sessions do to a memory's relevance."""

from typing import Any, cast

import pytest

from secondhop.nodes.selection.learned import learned_factor
from secondhop.nodes.state import Candidate, RecallState

LEARNED = {"factors": {"m": 1.15}, "questions": {}}


def factor(*, score: float, memory_id: str = "m", parts: bool = True, **state: Any) -> float:
    candidate: dict[str, Any] = {"memory_id": memory_id, "score": score}
    if parts:
        candidate["parts"] = {}
    asked: dict[str, Any] = {
        "effort": "none",
        "kind": "conceptual",
        "annotated": 0.0,
        "learned": LEARNED,
    } | state
    return learned_factor(cast(Candidate, candidate), cast(RecallState, asked))


def test_votes_multiply_the_odds_of_a_score_that_is_a_chance() -> None:
    raised = 0.02 * factor(score=0.02)
    assert raised / (1 - raised) == pytest.approx(0.02 / 0.98 * 2.718281828**1.75, rel=1e-3)
    assert 0.99 < 0.95 * factor(score=0.95) < 1


@pytest.mark.parametrize(
    "state",
    [
        {"parts": False},
        {"kind": "factual"},
        {"queries": {"q1": {"origin": "expand"}}},
    ],
    ids=["no parts", "look-up by text", "planned"],
)
def test_elsewhere_they_multiply_relevance(state: dict[str, Any]) -> None:
    assert factor(score=0.02, **state) == 1.15


def test_what_was_not_voted_on_stays() -> None:
    assert factor(score=0.5, memory_id="other") == 1.0
    assert factor(score=0.5, learned=None) == 1.0
