"""`calibrate` and `tune` as a user runs them, and what they wrote as a recall reads it."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import Cli, document
from tests.evals.scenario_files import memory_row, write_rows

from secondhop.evals.measures import Measures
from secondhop.evals.setting_files import load_recall_settings
from secondhop.evals.tuning_dials import Turned
from secondhop.evals.tuning_part import TuningPart
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.settings import RankingSettings
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
    report = document(cli("calibrate", *both, "--json", "--out", "scale.yaml"))

    assert report["embedder"] == HashingEmbedder().model_id
    assert set(report["folds"]) == {"small", "other"}
    assert report["pairs"] == sum(report["folds"].values())
    assert {"brier", "log_loss", "reliability"} == set(report["held_out"])
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
        found = document(cli("recall", QUESTIONS[0]["query"], "--json", *options))
        return float(found["memories"][0]["score"])

    plain, scaled = best(), best("--scale", "scale.yaml")
    assert scaled > plain
    monkeypatch.setenv("SECONDHOP_SCALE", "scale.yaml")
    assert best() == scaled
    with Recall.open(".secondhop", embedder="hashing", scale="scale.yaml") as recall:
        assert recall.recall(QUESTIONS[0]["query"]).memories[0].score == pytest.approx(scaled)


def test_a_scale_of_another_model_ends_the_command(cli: Cli, both: tuple[str, str]) -> None:
    scale = {"embedder": "e", "calibration": {"kind": "logistic", "slope": 1.0, "intercept": 0.0}}
    Path("scale.yaml").write_text(yaml.safe_dump(scale))

    result = cli("recall", "water", "--scale", "scale.yaml")

    assert result.exit_code == 2
    assert "is of the embedding model e" in result.stderr


def test_calibrate_of_one_scenario_says_that_it_left_out_questions(cli: Cli, small: Path) -> None:
    result = cli("calibrate", str(small))

    assert result.exit_code == 0, result.stderr
    assert "its questions were left out in 3 parts" in " ".join(result.stdout.split())


def test_calibrate_without_labels_has_no_figures(cli: Cli) -> None:
    report = document(cli("calibrate", "--json", "--out", "scale.yaml"))

    assert report["held_out"] is None
    assert "without labels" in Path("scale.yaml").read_text(encoding="utf-8")


def test_calibrate_takes_trec_files(cli: Cli, small: Path) -> None:
    Path("topics.tsv").write_text("1\tthe plan for Carefeed\n2\ttomatoes and water\n")
    Path("notes").mkdir()
    for name in ("plan", "garden", "car"):
        Path("notes", f"{name}.md").write_text(TEXTS[name], encoding="utf-8")
    Path("qrels.txt").write_text("1 0 plan.md 1\n2 0 garden.md 2\n")
    files = ("--topics", "topics.tsv", "--qrels", "qrels.txt", "--memories", "notes")

    report = document(cli("calibrate", *files, "--json"))

    assert report["left_out"] == "questions"
    assert report["relevant"] == 2
    assert cli("calibrate", "--topics", "topics.tsv").exit_code == 2


def test_an_unknown_method_is_refused(cli: Cli, small: Path) -> None:
    result = cli("calibrate", str(small), "--method", "cubic")

    assert result.exit_code == 2
    assert "logistic, isotonic" in result.stderr


def test_tune_that_finds_nothing_better_keeps_the_defaults(cli: Cli, both: tuple[str, str]) -> None:
    result = cli("tune", *both, "--trials", "2", "--out", "settings.yaml")

    assert result.exit_code == 0, result.stderr
    assert "keep the defaults" in result.stdout
    assert "(training)" in result.stdout
    assert not Path("settings.yaml").exists()
    assert "settings.yaml is not written" in result.stderr


@pytest.fixture
def better_with_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recalls of which each is the better, the more the question itself weighs."""

    async def asked_with(dials: Turned, part: TuningPart) -> Mapping[str, Measures]:
        worth = dict(dials).get("direct_weight", 0.3) / 3
        names = ("facet_recall", "essential_recall", "alpha_ndcg", "precision")
        row = {**dict.fromkeys(names, worth), "redundancy": 0.0, "stale_rate": 0.0}
        return {one.id: dict(row) for one in part.questions}

    monkeypatch.setattr("secondhop.cli.tune_bench.asked_with", asked_with)


def test_what_tune_wrote_is_what_recall_and_eval_read(
    cli: Cli, both: tuple[str, str], better_with_weight: None
) -> None:
    arguments = ("--trials", "4", "--out", "settings.yaml", "--json")
    report = document(cli("tune", *both, *arguments))

    assert report["better"]
    assert report["result"]["objective"] > report["defaults"]["objective"]
    settings = load_recall_settings("settings.yaml")
    assert settings.ranking.direct_weight == report["settings"]["ranking"]["direct_weight"]
    assert settings.ranking != RankingSettings()
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0
    assert cli("recall", "water", "--settings", "settings.yaml").exit_code == 0
    assert document(cli("eval", "scenarios", both[0], "--set", "settings.yaml", "--json"))


def test_tune_of_one_scenario_says_that_it_left_out_questions(
    cli: Cli, small: Path, better_with_weight: None
) -> None:
    result = cli("tune", str(small), "--trials", "2")

    assert "its questions resemble each other" in " ".join(result.stdout.split())


def test_a_settings_file_reaches_a_recall(cli: Cli, both: tuple[str, str]) -> None:
    Path("settings.yaml").write_text("limits:\n  k: 1\n")
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0
    asked = ("recall", "the plan for the Carefeed job, its software, the résumé", "--json")

    plain = document(cli(*asked))
    short = document(cli(*asked, "--settings", "settings.yaml"))

    assert len(plain["memories"]) > len(short["memories"]) == 1


def test_a_settings_file_with_a_misspelt_name_is_refused(cli: Cli, small: Path) -> None:
    Path("settings.yaml").write_text("ranking.min_scor: 0.3\n")

    result = cli("recall", "water", "--settings", "settings.yaml")

    assert result.exit_code == 2
    assert "did you mean ranking.min_score?" in result.stderr
