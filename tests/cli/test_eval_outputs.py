"""`eval scenarios`: what is compared, and the page it writes; `eval topics`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Cli, document
from tests.evals.scenario_files import TEXTS, memory_row, write_rows

pytestmark = pytest.mark.slow

QUERIES = {
    "q-1": "my Carefeed plan, their software for nursing homes, my résumé of product launches",
    "q-2": "The tomatoes need water twice a week; is the basil in the shade?",
}


def question_row(question_id: str, **facets: dict[str, int]) -> dict[str, Any]:
    return {
        "id": question_id,
        "query": QUERIES[question_id],
        "asked_at": "2025-11-17T13:00:00Z",
        "k": 3,
        "facets": [
            {"name": name, "why": "w", "hop": 1, "relevant": relevant}
            for name, relevant in facets.items()
        ],
        "redundant": [["research", "research-again"]],
        "stale": {},
    }


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario of five memories and two questions."""
    return write_rows(
        tmp_path / "small",
        conversations=[
            memory_row(name, text, title=f"About the {name}") for name, text in TEXTS.items()
        ],
        queries=[
            question_row("q-1", employer={"research": 3}, plan={"plan": 3}, past={"résumé": 3}),
            question_row("q-2", garden={"garden": 3}, nothing={"résumé": 2}),
        ],
    )


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""
    nothing: dict[str, object] = {}
    monkeypatch.setattr("secondhop.evals.ir_library.find_spec", nothing.get)


@pytest.mark.usefixtures("without_library")
def test_without_the_extra_our_own_measures_are_there_and_a_notice_names_it(
    cli: Cli, small: Path
) -> None:
    result = cli("eval", "scenarios", str(small), "--json")

    assert document(result)["small"]["library"] == {}
    assert document(result)["small"]["mean"]["facet_recall"] > 0
    assert "pip install '/path/to/the/checkout[eval]'" in result.stderr


def test_against_a_baseline_every_measure_has_an_interval_and_a_p(cli: Cli, small: Path) -> None:
    compared = document(cli("eval", "scenarios", str(small), "--against", "bm25", "--json"))

    facets = compared["against"]["measures"]["facet_recall"]
    assert compared["against"]["against"] == "bm25"
    assert facets["ours"] == compared["small"]["mean"]["facet_recall"]
    assert facets["theirs"] == compared["small"]["baselines"]["bm25"]["mean"]["facet_recall"]
    assert facets["low"] <= facets["difference"] <= facets["high"]
    assert 0 < facets["p"] <= 1
    assert set(compared["against"]["questions"]["small"]) == {"q-1", "q-2"}
    assert "ms" not in compared["against"]["measures"]


def test_against_an_earlier_report_its_rankings_are_measured_anew(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    earlier = {"small": {"results": {"q-1": ["research", "plan"], "q-2": []}}}
    (tmp_path / "before.json").write_text(json.dumps(earlier), encoding="utf-8")

    compared = document(cli("eval", "scenarios", str(small), "--against", "before.json", "--json"))

    theirs = compared["against"]["measures"]["facet_recall"]["theirs"]
    assert theirs == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "nobody"], "nothing to compare with is called 'nobody'"),
        (["--set", "ranking.min_scor=1"], "did you mean ranking.min_score"),
        (["--set", "gone.yaml"], "cannot read gone.yaml"),
        (["--html", "nowhere/report.html"], "there is no folder nowhere"),
        (["--html", "small"], "it is a folder"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(
    cli: Cli, small: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    refused = cli("eval", "scenarios", str(small), *arguments)

    assert refused.exit_code == 2
    assert said in refused.stderr
    assert not (tmp_path / "cache").exists()


def test_the_page_is_written_and_tells_every_question(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    done = cli("eval", "scenarios", str(small), "--html", "report.html", "--json")

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "wrote report.html" in done.stderr
    assert document(done)["small"]["results"]
    assert page.count("<details") == 2
    assert "hashing" in page
    assert "<script" not in page
