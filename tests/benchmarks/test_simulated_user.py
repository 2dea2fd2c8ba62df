"""The simulated user, and what its votes are said to make of an answer."""

from datetime import UTC, datetime

from benchmarks.simulated_user import LabelledUser

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
