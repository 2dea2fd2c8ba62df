"""`eval scenarios` and `demo` on a small scenario: promised keys, kept stores, readable tables."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.command_line import Cli, document
from tests.evals.scenario_files import QUESTION, TEXTS, memory_row, write_rows

from secondhop.evals.baselines import BASELINES
from secondhop.evals.measures import MEASURES
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario of five memories, a question, and a question that no memory answers."""
    unanswerable = {"id": "n-1", "query": "Opening hours?", "asked_at": QUESTION["asked_at"]}
    return write_rows(
        tmp_path / "small",
        conversations=[memory_row(name, text) for name, text in TEXTS.items()],
        queries=[QUESTION],
        no_answer=[unanswerable],
    )


def test_an_evaluation_reports_rankings_means_baselines_and_times(cli: Cli, small: Path) -> None:
    command = ("eval", "scenarios", str(small), "--json", "--per-question", "--store", "kept")
    report, second = (document(cli(*command))["small"] for _ in range(2))

    assert set(report["results"]) == {"q-1"}
    assert set(report["results"]["q-1"]) <= set(TEXTS)
    assert tuple(report["mean"]) == MEASURES
    assert tuple(report["baselines"]) == BASELINES
    assert all(tuple(one["mean"]) == MEASURES for one in report["baselines"].values())
    assert report["ms"]["q-1"] > 0
    assert report["mean"]["facet_recall"] > 0
    assert report["no_answer"] == {"questions": 1, "answered": 0, "results": {"n-1": []}}
    assert report["queries"]["q-1"] == report["mean"]
    assert second["results"] == report["results"]
    assert (small.parent / "kept").is_dir()


def test_a_follow_up_is_asked_with_what_was_asked_earlier(cli: Cli, small: Path) -> None:
    said = {
        "query": "And how much of it?",
        "k": 1,
        "facets": [{"name": "water", "why": "w", "hop": 1, "relevant": {"garden": 3}}],
    }
    follow_up = {**QUESTION, **said, "earlier": ["How often do the tomatoes need water?"]}
    write_rows(small, queries=[{**follow_up, "id": "alone", "earlier": []}, follow_up])

    report = document(cli("eval", "scenarios", str(small), "--json", "--store", "kept"))["small"]

    assert report["results"]["q-1"] == ["garden"]
    assert report["results"]["alone"] != ["garden"]


def test_the_report_for_people_fits_60_columns(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    shown = cli("eval", "scenarios", str(small), "--per-question")

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 60
    assert "mmr 0.7" in shown.stdout
    (heading, *_) = shown.stdout.splitlines()
    assert ("redund" in heading, "stale" in heading) == (True, False)  # it is zero in every row
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
    without = cli("eval", "scenarios", "--stored", "--store", "mine")

    assert without.exit_code == 2
    assert "--stored needs the folder with the questions" in without.stderr
    assert report["mean"]["facet_recall"] > 0
    assert set(report["results"]["q-1"]) <= set(TEXTS)
    assert refused.exit_code == 2
    assert "names the memory 'gone', which is not stored for 'default'" in refused.stderr


def test_the_demo_shows_both_answers_and_the_trace(
    cli: Cli, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    page = tmp_path / "demo.html"

    shown = cli("demo", "--scenario", str(small), "--trace", "--html", str(page))
    compared = document(cli("demo", "--scenario", str(small), "--json"))

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 60
    assert "needs that the answer meets" in shown.stdout
    assert '<script type="application/json" id="recall">' in page.read_text(encoding="utf-8")
    assert "stopped: " in shown.stdout
    assert set(compared["answers"]) == {"plain", "secondhop"}
    assert compared["facets"] == ["employer", "own plan", "track record"]
    assert len(compared["answers"]["plain"]) == 3
    assert "over all 1 question" in shown.stdout
    assert "secondhop ingest" in shown.stdout
    assert "secondhop ui" in shown.stdout
    assert "demo --html" not in shown.stdout, "it was just done"
    assert "demo --html" in cli("demo", "--scenario", str(small)).stdout
    assert compared["facets_of_all_questions"]["secondhop"] <= len(compared["facets"])


# --- what is compared, and the page ---

QUERIES = {
    "q-1": "my Carefeed plan, their software for nursing homes, my résumé of product launches",
    "q-2": "The tomatoes need water twice a week; is the basil in the shade?",
}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """The same memories, and two questions."""
    rows = [{**QUESTION, "id": one, "query": query} for one, query in QUERIES.items()]
    memories = [memory_row(name, text) for name, text in TEXTS.items()]
    return write_rows(tmp_path / "two", conversations=memories, queries=rows)


def test_a_comparison_without_the_extra_names_it(
    cli: Cli, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: dict[str, object] = {}
    monkeypatch.setattr("secondhop.evals.significance.find_spec", nothing.get)

    refused = cli("eval", "scenarios", str(two), "--against", "bm25")

    assert refused.exit_code == 1
    assert "pip install '/path/to/the/checkout[eval]'" in refused.stderr


@pytest.mark.slow
def test_against_a_baseline_every_measure_has_an_interval_and_a_p(cli: Cli, two: Path) -> None:
    compared = document(cli("eval", "scenarios", str(two), "--against", "bm25", "--json"))

    facets = compared["against"]["measures"]["facet_recall"]
    assert compared["against"]["against"] == "bm25"
    assert facets["ours"] == compared["two"]["mean"]["facet_recall"]
    assert facets["theirs"] == compared["two"]["baselines"]["bm25"]["mean"]["facet_recall"]
    assert facets["low"] <= facets["difference"] <= facets["high"]
    assert 0 < facets["p"] <= 1
    assert set(compared["against"]["questions"]["two"]) == {"q-1", "q-2"}
    assert "ms" not in compared["against"]["measures"]


def test_neither_side_of_a_comparison_pays_for_embedding(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded, embed = list[str](), HashingEmbedder.embed_queries

    async def counted(self: HashingEmbedder, texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return await embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_queries", counted)
    monkeypatch.setattr("secondhop.evals.scenarios.perf_counter", lambda: len(embedded))

    compared = document(cli("eval", "scenarios", small, "--against", "defaults", "--json"))

    assert embedded
    assert compared["small"]["ms"] == {"q-1": 0}
    ms = compared["against"]["measures"]["ms"]
    assert (ms["ours"], ms["theirs"]) == (0, 0)


@pytest.mark.slow
def test_against_an_earlier_report_its_rankings_are_measured_anew(
    cli: Cli, two: Path, tmp_path: Path
) -> None:
    earlier = {"two": {"results": {"q-1": ["research", "plan"], "q-2": []}}}
    (tmp_path / "before.json").write_text(json.dumps(earlier), encoding="utf-8")

    compared = document(cli("eval", "scenarios", str(two), "--against", "before.json", "--json"))

    theirs = compared["against"]["measures"]["facet_recall"]["theirs"]
    assert theirs == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    "sides", [("limits.k=3", "defaults"), ("ranking.min_score=0.3", "limits.k=3")]
)
def test_the_k_of_the_questions_is_not_compared(
    cli: Cli, small: Path, tmp_path: Path, sides: tuple[str, str]
) -> None:
    refused = cli("eval", "scenarios", small, "--set", sides[0], "--against", sides[1])

    assert refused.exit_code == 2
    assert "every question of a scenario has its own k" in " ".join(refused.stderr.split())
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "low"], "this needs a language model, and none is named"),
        (["--effort", "high"], "this needs a language model, and none is named"),
        (["--against", "nobody"], "nothing to compare with is called 'nobody'"),
        (["--set", "ranking.min_scor=1"], "did you mean ranking.min_score"),
        (["--set", "gone.yaml"], "cannot read gone.yaml"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(
    cli: Cli, two: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    refused = cli("eval", "scenarios", str(two), *arguments)

    assert refused.exit_code == 2
    assert said in refused.stderr
    assert not (tmp_path / "cache").exists()
