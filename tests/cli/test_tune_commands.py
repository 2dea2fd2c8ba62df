"""`eval calibrate` and `eval tune`, and what they wrote as a recall reads it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import Cli, document
from tests.evals.scenario_files import memory_row, write_rows

from secondhop.evals.setting_files import load_config
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]

TEXTS = {
    "plan": "My plan for the Carefeed job: cut onboarding from nine weeks to four.",
    "research": "Carefeed sells communication software to nursing homes.",
    "résumé": "Résumé: eight years of product, led teams of twelve, two launches.",
    "garden": "The tomatoes need water twice a week; the basil is in the shade.",
    "car": "The winter tyres are in the cellar; the brakes of the car squeak.",
}


def question(question_id: str, query: str, **relevant: int) -> dict[str, Any]:
    facet = {"name": query, "why": "w", "hop": 1, "relevant": relevant}
    return {
        "id": question_id,
        "query": query,
        "asked_at": "2025-11-17T13:00:00Z",
        "k": 2,
        "facets": [facet],
        "redundant": [],
        "stale": {},
    }


QUESTIONS = [
    question("job", "my plan for the Carefeed job", plan=3),
    question("garden", "water for the tomatoes", garden=3),
    question("car", "tyres and brakes of the car", car=2),
]


LOOK_UP = "Which plan do I have for the Carefeed job?"
"""Without a plan a look-up's score is its calibrated relevance, which a scale changes."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario of five memories and three questions."""
    memories = [memory_row(name, text) for name, text in TEXTS.items()]
    return write_rows(tmp_path / "small", conversations=memories, queries=QUESTIONS)


@pytest.fixture
def both(small: Path, tmp_path: Path) -> tuple[str, str]:
    """Two scenarios, as arguments."""
    shutil.copytree(small, tmp_path / "other")
    return str(small), str(tmp_path / "other")


def test_calibrate_reports_held_out_figures_and_writes_a_scale(
    cli: Cli, both: tuple[str, str]
) -> None:
    report = document(cli("eval", "calibrate", *both, "--json", "--out", "scale.yaml"))

    assert report["embedder"] == HashingEmbedder().model_id
    assert set(report["folds"]) == {"small", "other"}
    assert report["pairs"] == sum(report["folds"].values())
    assert {"brier", "log_loss"} == set(report["held_out"])
    assert set(report["beside"]) == {"as shipped", "always the same"}
    file = yaml.safe_load(Path("scale.yaml").read_text(encoding="utf-8"))
    assert file["calibration"] == report["calibration"]


def test_a_scale_changes_the_scores_of_a_recall(
    cli: Cli, both: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("scale.yaml").write_text(
        yaml.safe_dump(
            {
                "embedder": HashingEmbedder().model_id,
                "calibration": {"kind": "logistic", "slope": 30.0, "intercept": 0.0},
            }
        )
    )
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0

    def best(*options: str) -> float:
        found = document(cli("recall", LOOK_UP, "--json", *options))
        return float(found["memories"][0]["score"])

    plain, scaled = best(), best("--scale", "scale.yaml")
    assert scaled > plain
    monkeypatch.setenv("SECONDHOP_SCALE", "scale.yaml")
    assert best() == scaled
    with Recall.open(".secondhop", embedder="hashing", scale="scale.yaml") as recall:
        assert recall.recall(LOOK_UP).memories[0].score == pytest.approx(scaled)


def test_tune_that_finds_nothing_better_keeps_the_defaults(cli: Cli, both: tuple[str, str]) -> None:
    tried = ("--try", "ranking.min_score=0.35,0.99")
    result = cli("eval", "tune", *both, *tried, "--out", "settings.yaml")

    assert result.exit_code == 0, result.stderr
    assert "all together choose: defaults" in result.stdout
    assert "keep the defaults" in result.stderr
    assert not Path("settings.yaml").exists()


def test_what_tune_wrote_is_what_recall_and_eval_read(
    cli: Cli, both: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked before anything was written, a recall that hides what came later finds nothing, so
    that one value is surely better."""
    early = [{**one, "asked_at": "2020-01-01T00:00:00Z"} for one in QUESTIONS]
    for folder in both:
        rows = "".join(json.dumps(one) + "\n" for one in early)
        (Path(folder) / "queries.jsonl").write_text(rows)
    Path("strict.yaml").write_text("ranking.hide_later: true\n")
    monkeypatch.setattr("secondhop.cli.tune_command.SURE", 0.5)
    tried = ("--try", "ranking.hide_later=false", "--settings", "strict.yaml")

    report = document(cli("eval", "tune", *both, *tried, "--out", "settings.yaml", "--json"))

    assert report["better"]
    assert report["to_use"] == "ranking.hide_later=false"
    objective = report["measures"]["objective"]
    assert objective["ours"] > objective["theirs"] == 0
    assert load_config("settings.yaml").ranking.hide_later is False
    assert document(cli("eval", "scenarios", both[0], "--set", "settings.yaml", "--json"))


def test_a_settings_file_reaches_a_recall(cli: Cli, both: tuple[str, str]) -> None:
    Path("settings.yaml").write_text("limits:\n  k: 1\n")
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0
    asked = ("recall", "the plan for the Carefeed job, its software, the résumé", "--json")

    plain = document(cli(*asked))
    short = document(cli(*asked, "--settings", "settings.yaml"))

    assert len(plain["memories"]) > len(short["memories"]) == 1
