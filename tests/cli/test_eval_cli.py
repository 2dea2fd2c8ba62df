"""`eval scenarios` and `demo` on a small scenario: contract keys, kept stores, readable tables."""

from pathlib import Path

import pytest
from tests.command_line import Cli, document
from tests.evals.scenario_files import QUESTION, TEXTS, memory_row, write_rows

from secondhop.evals.baselines import BASELINES
from secondhop.evals.measures import MEASURES


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario of five memories, one question, and one that nothing answers."""
    unanswerable = {"id": "n-1", "query": "Opening hours?", "asked_at": QUESTION["asked_at"]}
    return write_rows(
        tmp_path / "small",
        conversations=[memory_row(name, text) for name, text in TEXTS.items()],
        queries=[QUESTION],
        no_answer=[unanswerable],
    )


def test_an_evaluation_reports_rankings_means_baselines_and_times(cli: Cli, small: Path) -> None:
    report = document(cli("eval", "scenarios", str(small), "--json", "--per-question"))["small"]

    assert set(report["results"]) == {"q-1"}
    assert set(report["results"]["q-1"]) <= set(TEXTS)
    assert tuple(report["mean"]) == MEASURES
    assert tuple(report["baselines"]) == BASELINES
    assert all(tuple(one["mean"]) == MEASURES for one in report["baselines"].values())
    assert report["ms"]["q-1"] > 0
    assert report["mean"]["facet_recall"] > 0
    assert report["no_answer"] == {"questions": 1, "answered": 0, "results": {"n-1": []}}
    assert report["queries"]["q-1"] == report["mean"]


def test_a_second_evaluation_finds_the_same(cli: Cli, small: Path) -> None:
    first, second = (
        document(cli("eval", "scenarios", str(small), "--json", "--store", "kept"))["small"]
        for _ in range(2)
    )

    assert first["results"] == second["results"]
    assert (small.parent / "kept").is_dir()


def test_the_report_for_people_fits_60_columns(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    shown = cli("eval", "scenarios", str(small), "--per-question")

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 60
    assert "mmr 0.7" in shown.stdout
    assert "of 1 unanswerable ones were answered" in " ".join(shown.stdout.split())


def test_questions_of_ones_own_are_asked_of_the_store_that_is_named(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    assert cli("ingest", small / "conversations.jsonl", "--store", "mine").exit_code == 0
    (small / "conversations.jsonl").rename(tmp_path / "away.jsonl")
    command = ("eval", "scenarios", small, "--stored", "--store", "mine", "--json")

    report = document(cli(*command))["small"]
    unknown = {**QUESTION, "stale": {"gone": "plan"}}
    write_rows(small, queries=[unknown])
    refused = cli(*command)

    assert report["mean"]["facet_recall"] > 0
    assert set(report["results"]["q-1"]) <= set(TEXTS)
    assert refused.exit_code == 2
    assert "names the memory 'gone', which is not stored for 'default'" in refused.stderr


def test_the_demo_shows_both_answers_and_the_trace(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    shown = cli("demo", "--scenario", str(small), "--trace")
    compared = document(cli("demo", "--scenario", str(small), "--json"))

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 60
    assert "facets served" in shown.stdout
    assert "stopped: " in shown.stdout
    assert set(compared) == {"question", "facets", "plain", "secondhop", "trace_id"}
    assert compared["facets"] == ["employer", "own plan", "track record"]
    assert len(compared["plain"]["memories"]) == 3
