"""The simulated user, and what its votes are said to make of an answer."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from benchmarks.session_report import (
    QuestionRounds,
    SessionReport,
    lowered_share,
    mean_by_round,
    ratio_of,
)
from benchmarks.simulated_user import LabelledUser
from hypothesis import given
from hypothesis import strategies as st

from secondhop.evals.scenario import LabelledFacet, Question

QUESTION = Question(
    id="q-1",
    query="What helps?",
    asked_at=datetime(2026, 1, 1, tzinfo=UTC),
    k=3,
    facets=[
        LabelledFacet(name="a", why="", hop=1, relevant={"best": 3, "useful": 2, "old": 3}),
        LabelledFacet(name="b", why="", hop=2, relevant={"marginal": 1, "copy": 3, "copy-2": 3}),
    ],
    redundant=[["copy", "copy-2"]],
    stale={"old": "best"},
)


def test_labels_become_votes() -> None:
    shown = ["best", "useful", "marginal", "old", "none", "copy-2", "copy"]

    votes = LabelledUser(QUESTION).vote_on(shown)

    assert votes == {
        "best": "hot",
        "useful": "warm",
        "marginal": "warm",
        "old": "wrong",
        "none": "cold",
        "copy-2": "hot",
        "copy": "cold",
    }


def test_everything_is_voted_on_once_and_what_is_good_is_kept_in_order() -> None:
    user = LabelledUser(QUESTION)
    user.vote_on(["useful", "none", "copy"])

    assert user.vote_on(["useful", "copy", "best", "copy-2"]) == {"best": "hot", "copy-2": "cold"}
    assert user.kept() == ["copy", "best", "useful"]


@given(st.integers(0, 99))
def test_noise_is_a_share_of_votes_and_the_same_for_the_same_seed(seed: int) -> None:
    shown = [f"none-{n}" for n in range(400)]

    drawn = LabelledUser(QUESTION, noise=0.1, seed=seed).vote_on(shown)

    assert drawn == LabelledUser(QUESTION, noise=0.1, seed=seed).vote_on(shown)
    mistaken = sum(vote != "cold" for vote in drawn.values()) / len(shown)
    assert 0.02 < mistaken < 0.15  # one in four of the drawn ones is right by chance
    assert Counter(LabelledUser(QUESTION).vote_on(shown).values()) == {"cold": 400}


def report(name: str, *questions: tuple[list[float], list[float]]) -> SessionReport:
    made = SessionReport(name=name, votes=len(questions[0][0]) - 1, noise=0.0)
    for place, (own, other) in enumerate(questions):
        made.questions[f"q{place}"] = QuestionRounds(
            answers={"session": [["m"]] * len(own), "next page": [["m"]] * len(own)},
            measures={
                "session": [{"alpha_ndcg": value} for value in own],
                "next page": [{"alpha_ndcg": value} for value in other],
            },
        )
    return made


def test_scenarios_count_the_same_whatever_their_size() -> None:
    small = report("small", ([0.2, 0.6], [0.4, 0.4]))
    big = report("big", ([0.6, 0.8], [0.6, 0.2]), ([0.6, 0.8], [0.6, 0.6]))

    assert mean_by_round([small, big], "session") == pytest.approx([0.4, 0.7])
    assert ratio_of([small, big], "session") == pytest.approx(1.75)
    assert ratio_of([small, big], "next page") == pytest.approx(1.0)
    assert lowered_share([small, big], "session") == 0
    assert lowered_share([small, big], "next page") == pytest.approx(1 / 3)
    assert big.lowered("next page") == ["q0"]
