"""The proof that learning helps: other wordings, kinds of users, and what the report says."""

import json
from pathlib import Path

import pytest
from tests.command_line import ran
from tests.evals.scenario_files import QUESTION, TEXTS, memory_row, write_rows

from secondhop.errors import UsageError
from secondhop.evals.learning import LearningTrial
from secondhop.evals.learning_report import Asked, LearningRun, QuestionLearned, over_all
from secondhop.evals.rewordings import load_rewordings, telling_words
from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenarios

OTHER = {
    **QUESTION,
    "id": "q-2",
    "query": "what do the tomatoes and the basil in the garden need?",
    "facets": [{"name": "garden", "why": "w", "hop": 1, "relevant": {"garden": 3}}],
    "redundant": [],
}


@pytest.fixture
def folder(tmp_path: Path, no_variables: None) -> Path:
    """A scenario of five memories and two questions, and nobody's settings."""
    return write_rows(
        tmp_path / "small",
        conversations=[memory_row(*one) for one in TEXTS.items()],
        queries=[{**QUESTION, "k": 2}, {**OTHER, "k": 2}],
    )


def test_a_question_has_its_folder_s_wordings_and_its_telling_words(folder: Path) -> None:
    write_rows(folder, rewordings=[{"id": "q-2", "texts": ["Water for the basil?"]}])

    wordings = load_rewordings(folder, load_scenario(folder))

    assert wordings["q-2"] == ["Water for the basil?", "tomatoes basil garden"]
    assert len(wordings["q-1"]) == 1
    assert telling_words("And what of it?") == "it of what And"


def test_a_wording_of_no_question_is_a_mistake(folder: Path) -> None:
    write_rows(folder, rewordings=[{"id": "q-9", "texts": ["Where?"]}])
    with pytest.raises(UsageError, match="'q-9'"):
        load_rewordings(folder, load_scenario(folder))


def test_every_question_that_ships_has_two_other_wordings() -> None:
    for place in shipped_scenarios():
        scenario = load_scenario(place)
        wordings = load_rewordings(place, scenario)
        for question in scenario.questions:
            assert len(wordings[question.id]) == 3
            assert question.query not in wordings[question.id]


def test_users_vote_by_the_labels_at_random_or_against_them(folder: Path) -> None:
    question = load_scenario(folder).questions[1]
    shown = ["garden", *(f"none-{n}" for n in range(200))]

    honest = LearningTrial(noise=0.0).voter(question, 0).vote_on(shown)
    against = LearningTrial(user="against", noise=0.0).voter(question, 0).vote_on(shown)
    careless = LearningTrial(user="random").voter(question, 0).vote_on(shown)

    assert (honest["garden"], honest["none-1"]) == ("hot", "cold")
    assert (against["garden"], against["none-1"]) == ("wrong", "warm")
    assert 30 < sum(vote == "hot" for vote in careless.values()) < 70
    assert LearningTrial().voter(question, 1).seed != LearningTrial().voter(question, 2).seed


def test_a_run_tells_who_gained_who_lost_and_who_stayed() -> None:
    def asked(value: float, *ids: str) -> Asked:
        return Asked(ids=ids, measures={"alpha_ndcg": value})

    run = LearningRun(name="one", user="labels", sessions=4, noise=0.1)
    run.questions["gained"] = QuestionLearned(
        recalls={"before": asked(0.4, "a"), "after": asked(0.8, "b"), "others": asked(0.4, "a")},
        rounds={"before": 4, "after": 2},
    )
    run.questions["lost"] = QuestionLearned(
        recalls={"before": asked(0.6, "a"), "after": asked(0.2, "b"), "others": asked(0.5, "c")},
        rounds={},
    )

    document = json.loads(json.dumps(run.document()))

    assert document["lowered"] == ["lost"]
    assert document["same"] == 0.5
    assert document["mean"]["others"]["alpha_ndcg"] == pytest.approx(0.45)
    assert document["rounds"] == {"before": 4.0, "after": 2.0}
    assert document["results"]["gained"] == ["b"]
    assert over_all([run], lambda one: one.rounds("after")) == 2.0


@pytest.mark.usefixtures("library_of_tests")
def test_the_command_measures_every_kind_of_user(folder: Path) -> None:
    command = ["eval", "learning", str(folder), "--embedder", "hashing", "--llm", "offline"]

    done = ran(*command, "--sessions", "1", "--poisoned", "--json")
    table = ran(*command, "--sessions", "1")

    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)["small"]
    assert set(report) == {"labels", "random", "against"}
    honest = report["labels"]
    assert honest["mean"]["after"]["alpha_ndcg"] >= honest["mean"]["before"]["alpha_ndcg"]
    assert honest["mean"]["others"] == honest["mean"]["before"]
    assert honest["same"] == 1.0
    assert set(honest["rounds"]) == {"before", "after"}
    assert report["against"]["rounds"] == {"before": None, "after": None}
    assert table.exit_code == 0, table.output
    assert "A user who votes by the labels" in table.stdout
    assert "others" in table.stdout
