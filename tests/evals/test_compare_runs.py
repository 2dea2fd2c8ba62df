"""Two runs of an evaluation, question by question."""

import json
from pathlib import Path
from typing import Any

import pytest

from secondhop.errors import UsageError
from secondhop.evals.compare_runs import compared_runs, read_run
from secondhop.evals.measures import MEASURES


def measured(facets: float, order: float = 0.5) -> dict[str, float]:
    return {**dict.fromkeys(MEASURES, 0.0), "facet_recall": facets, "alpha_ndcg": order}


def run(folder: Path, name: str, **questions: dict[str, Any]) -> Path:
    """A report of one scenario, "home"; a question is its measures, and what came back."""
    path = folder / name
    scenario = {
        "results": {one: asked["ids"] for one, asked in questions.items()},
        "queries": {one: asked["measures"] for one, asked in questions.items()},
        "stories": {one: asked.get("story", {}) for one, asked in questions.items()},
        "costs": {"llm_calls": 3.0, "tokens": 6_000.0, "cost_usd": None},
        "mean": {},
    }
    path.write_text(json.dumps({"home": scenario, "against": {"measures": {}}}), encoding="utf-8")
    return path


def asked(facets: float, *ids: str, order: float = 0.5, **story: Any) -> dict[str, Any]:
    return {"measures": measured(facets, order), "ids": list(ids), "story": story}


def test_every_question_is_won_lost_or_tied_and_says_what_came_and_went(tmp_path: Path) -> None:
    first = run(tmp_path, "a.json", q1=asked(0.5, "x", "y"), q2=asked(0.5, "z"), q3=asked(1.0, "w"))
    second = run(
        tmp_path,
        "b.json",
        q1=asked(1.0, "y", "v"),
        q2=asked(0.5, "z", order=0.4),
        q3=asked(1.0, "w"),
    )

    found = compared_runs(read_run(first), read_run(second))

    assert [one.verdict for one in found.questions] == ["won", "lost", "tied"]
    assert (found.questions[0].came, found.questions[0].went) == (["v"], ["x"])
    facets = found.document()["measures"]["facet_recall"]
    assert (facets["first"], facets["second"]) == pytest.approx((2 / 3, 5 / 6))
    assert facets["difference"] == pytest.approx(1 / 6)
    assert facets["p"] == 1.0  # one question with a difference is a coin
    assert found.second.cost("tokens") == 6_000.0
    assert found.second.cost("cost_usd") is None


def test_what_the_second_run_missed_is_told(tmp_path: Path) -> None:
    missed = [{"name": "résumé", "hop": 2, "memories": [{"memory_id": "m", "reason": "cold"}]}]
    first = run(tmp_path, "a.json", q1=asked(1.0, "m"))
    second = run(tmp_path, "b.json", q1=asked(0.0, missed=missed, degraded=["no answer"]))

    (question,) = compared_runs(read_run(first), read_run(second)).questions

    assert question.missed[0].memories[0].reason == "cold"
    assert question.document()["degraded"] == ["no answer"]


def test_questions_that_one_run_lacks_are_named_and_left_out(tmp_path: Path) -> None:
    first = run(tmp_path, "a.json", q1=asked(1.0), old=asked(0.0))
    second = run(tmp_path, "b.json", q1=asked(1.0), new=asked(1.0))

    found = compared_runs(read_run(first), read_run(second))

    assert [one.question_id for one in found.questions] == ["q1"]
    assert found.alone == ["home/new", "home/old"]


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"home": {"results": {"q1": []}}}', '{"home": {"results": 7, "queries": 8}}'],
)
def test_a_file_that_is_no_such_report_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"cannot read|--per-question"):
        read_run(path)


def test_runs_of_different_questions_cannot_be_compared(tmp_path: Path) -> None:
    first = read_run(run(tmp_path, "a.json", q1=asked(1.0)))
    second = read_run(run(tmp_path, "b.json", q2=asked(1.0)))
    with pytest.raises(UsageError, match="no question in common"):
        compared_runs(first, second)
