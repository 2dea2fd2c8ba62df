"""`eval scenarios`: what is compared, and the files it writes; `eval trec` and `eval topics`."""

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


def test_the_report_has_the_fields_own_measures_variety_second_hop_and_costs(
    cli: Cli, small: Path
) -> None:
    report = document(cli("eval", "scenarios", str(small), "--json"))["small"]

    for one in (report, *report["baselines"].values()):
        assert tuple(one["library"]) == (
            "P@k",
            "R@k",
            "RR@k",
            "nDCG@k",
            "alpha_nDCG@k",
            "ERR_IA@k",
            "StRecall@k",
        )
        assert 0 <= one["variety"]["overlap"] <= 1
        assert 0 < one["variety"]["distance"] <= 1
    assert report["second_hop"] == {
        "memories": 0,
        "memories_found": 0,
        "share": None,
        "facets": 0,
        "facets_found": 0,
        "facet_share": None,
    }
    assert report["costs"]["llm_calls"] == 0
    assert report["costs"]["ms_p95"] >= report["costs"]["ms_median"] > 0


def test_questions_with_one_answer_are_asked_for_ten_and_reported_beside_plain_search(
    cli: Cli, small: Path
) -> None:
    report = document(cli("eval", "scenarios", str(small), "--json"))["small"]["one_answer"]
    shown = cli("eval", "scenarios", str(small))

    assert report["asked_for"] == 10
    assert report["places"]["secondhop"] == {"q-2": 1}
    assert report["measures"]["dense"] == {"mrr": 1.0, "ndcg_10": 1.0, "recall_10": 1.0}
    assert {"secondhop", "dense", "bm25", "hybrid"} <= set(report["measures"])
    assert "questions with one answer: 1, asked for 10" in " ".join(shown.stdout.split())


@pytest.mark.usefixtures("without_library")
def test_without_the_extra_our_own_measures_are_there_and_a_notice_names_it(
    cli: Cli, small: Path
) -> None:
    result = cli("eval", "scenarios", str(small), "--json")

    assert document(result)["small"]["library"] == {}
    assert document(result)["small"]["mean"]["facet_recall"] > 0
    assert "pip install 'secondhop[eval]'" in result.stderr


def test_a_question_tells_what_it_missed_and_why(cli: Cli, small: Path) -> None:
    report = document(cli("eval", "scenarios", str(small), "--json", "--per-question"))["small"]

    (missed,) = report["stories"]["q-2"]["missed"]
    assert missed["name"] == "nothing"
    assert missed["memories"][0]["memory_id"] == "résumé"
    assert missed["memories"][0]["reason"]
    assert report["stories"]["q-1"]["missed"] == []


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


def test_against_other_settings_both_are_asked_and_costs_are_compared(
    cli: Cli, small: Path
) -> None:
    one = ("eval", "scenarios", str(small), "--json")
    compared = document(cli(*one, "--set", "limits.rounds=1", "--against", "ranking.min_score=1"))

    measures = compared["against"]["measures"]
    assert measures["facet_recall"]["theirs"] == 0
    assert measures["facet_recall"]["ours"] > 0
    assert measures["ms"]["theirs"] > 0
    assert compared["small"]["mean"]["facet_recall"] == measures["facet_recall"]["ours"]


def test_against_an_earlier_report_its_rankings_are_measured_anew(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    earlier = {"small": {"results": {"q-1": ["research", "plan"], "q-2": []}}}
    (tmp_path / "before.json").write_text(json.dumps(earlier), encoding="utf-8")

    compared = document(cli("eval", "scenarios", str(small), "--against", "before.json", "--json"))

    theirs = compared["against"]["measures"]["facet_recall"]["theirs"]
    assert theirs == pytest.approx((2 / 3 + 0) / 2)


def test_an_earlier_report_of_other_scenarios_is_refused(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "before.json").write_text('{"large": {"results": {"q": []}}}', encoding="utf-8")

    refused = cli("eval", "scenarios", str(small), "--against", "before.json")

    assert refused.exit_code == 2
    assert "has no scenario small; it has large" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "nobody"], "nothing to compare with is called 'nobody'"),
        (["--set", "ranking.min_scor=1"], "did you mean ranking.min_score"),
        (["--set", "gone.yaml"], "cannot read gone.yaml"),
        (["--html", "nowhere/report.html"], "there is no folder nowhere"),
        (["--write-run", "small"], "it is a folder"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(
    cli: Cli, small: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    refused = cli("eval", "scenarios", str(small), *arguments)

    assert refused.exit_code == 2
    assert said in refused.stderr
    assert not (tmp_path / "cache").exists()


def test_tables_of_a_comparison_fit_80_columns(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    shown = cli("eval", "scenarios", str(small), "--against", "dense")

    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for told in ("against dense", "aNDCG", "2nd-hop", "So few questions say little"):
        assert told in shown.stdout


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


def test_the_files_for_other_tools_give_the_figures_that_we_report(cli: Cli, small: Path) -> None:
    command = ("eval", "scenarios", str(small), "--write-run", "run", "--write-qrels", "qrels")
    report = document(cli(*command, "--json"))["small"]

    scored = document(cli("eval", "trec", "qrels", "run", "--k", "3", "--json"))["secondhop"]

    assert {one.replace("@3", "@k"): value for one, value in scored["mean"].items()} == {
        name: pytest.approx(value) for name, value in report["library"].items()
    }
    assert scored["results"] == report["results"]
    assert scored["unanswered"] == []


def test_files_of_several_scenarios_tell_their_questions_apart(
    cli: Cli, small: Path, tmp_path: Path
) -> None:
    small.rename(tmp_path / "one")
    (tmp_path / "two").mkdir()
    for file in (tmp_path / "one").iterdir():
        (tmp_path / "two" / file.name).write_bytes(file.read_bytes())

    assert cli("eval", "scenarios", "one", "two", "--write-qrels", "qrels").exit_code == 0

    lines = (tmp_path / "qrels").read_text(encoding="utf-8").splitlines()
    assert {line.split()[0] for line in lines} == {"one/q-1", "one/q-2", "two/q-1", "two/q-2"}


# --- runs of anybody ---


def write_trec(folder: Path) -> None:
    (folder / "qrels").write_text("1 a good 1\n1 b other 1\n2 a far 1\n", encoding="utf-8")
    (folder / "first").write_text("1 Q0 bad 1 2 me\n1 Q0 good 2 1 me\n", encoding="utf-8")
    (folder / "second").write_text(
        "1 Q0 good 1 2 you\n1 Q0 other 2 1 you\n2 Q0 far 1 1 you\n", encoding="utf-8"
    )


def test_runs_are_measured_and_compared_with_the_first(cli: Cli, tmp_path: Path) -> None:
    write_trec(tmp_path)

    found = document(cli("eval", "trec", "qrels", "first", "second", "--k", "2", "--json"))

    assert list(found) == ["me", "you"]
    assert found["me"]["mean"]["RR@2"] == 0.25
    assert found["me"]["unanswered"] == ["2"]
    assert found["you"]["mean"]["StRecall@2"] == 1.0
    assert found["you"]["compared"]["against"] == "me"
    assert found["you"]["compared"]["measures"]["RR@2"]["difference"] == 0.75
    assert "compared" not in found["me"]


def test_a_table_of_runs_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    write_trec(tmp_path)

    shown = cli("eval", "trec", "qrels", "first", "second")

    assert shown.exit_code == 0, shown.stderr
    assert "me has nothing for 1 judged questions; they count 0" in shown.stdout
    assert "against me" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["first", "first"], "first:1: a line of qrels has four words"),
        (["qrels", "qrels"], "qrels:1: a line of a run has six words"),
        (["qrels", "first", "first"], "a run is given twice"),
        (["qrels", "gone"], "cannot read gone"),
    ],
)
def test_wrong_files_are_named(cli: Cli, tmp_path: Path, arguments: list[str], said: str) -> None:
    write_trec(tmp_path)

    refused = cli("eval", "trec", *arguments)

    assert refused.exit_code == 2
    assert said in refused.stderr


@pytest.mark.usefixtures("without_library")
def test_trec_without_the_extra_says_what_to_install(cli: Cli, tmp_path: Path) -> None:
    write_trec(tmp_path)

    refused = cli("eval", "trec", "qrels", "first")

    assert refused.exit_code == 1
    assert "pip install 'secondhop[eval]'" in refused.stderr


# --- topics over memories of one's own ---


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text(
        "".join(f"{name}\t{query}\n" for name, query in QUERIES.items()), encoding="utf-8"
    )
    (tmp_path / "qrels").write_text(
        "q-1 1 research.md 2\nq-1 2 plan.md 1\nq-2 1 garden.md 1\nq-9 1 x 1\n", encoding="utf-8"
    )
    return folder


def test_topics_are_recalled_over_a_folder_and_measured(
    cli: Cli, notes: Path, tmp_path: Path
) -> None:
    command = ("eval", "topics", "topics.tsv", "--memories", str(notes), "--qrels", "qrels")

    found = document(cli(*command, "--k", "3", "--write-run", "run", "--json"))

    assert next(iter(found)) == "secondhop"
    assert "dense" in found
    assert found["secondhop"]["queries"]["q-2"]["RR@3"] == 1.0
    assert set(found["secondhop"]["queries"]) == {"q-1", "q-2"}
    assert found["dense"]["compared"]["ours"] == "secondhop"
    assert (
        document(cli("eval", "trec", "qrels", "run", "--k", "3", "--json"))["secondhop"]["results"]
        == found["secondhop"]["results"]
    )
    assert not (tmp_path / ".secondhop").exists()


def test_topics_of_a_kept_store_need_no_qrels_to_be_answered(
    cli: Cli, notes: Path, tmp_path: Path
) -> None:
    assert cli("ingest", str(notes), "--store", "kept").exit_code == 0

    found = document(cli("eval", "topics", "topics.tsv", "--store", "kept", "--json"))

    assert found["secondhop"]["results"]["q-2"][0] == "garden.md"


def test_topics_that_fit_nothing_are_refused(cli: Cli, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "others").write_text("q-1 1 elsewhere 1\n", encoding="utf-8")
    (tmp_path / "unasked").write_text("9 1 garden.md 1\n", encoding="utf-8")
    command = ("eval", "topics", "topics.tsv", "--memories", str(notes))

    unknown = cli(*command, "--qrels", "others")
    unasked = cli(*command, "--qrels", "unasked")
    aimless = cli(*command)

    assert [one.exit_code for one in (unknown, unasked, aimless)] == [2, 2, 2]
    assert "they say elsewhere, the store has garden.md, plan.md" in unknown.stderr
    assert "no topic is judged: the qrels judge 9" in unasked.stderr
    assert "--qrels, --write-run or --json" in aimless.stderr


def test_topics_without_qrels_write_a_run_and_say_what_it_cost(
    cli: Cli, notes: Path, tmp_path: Path
) -> None:
    done = cli("eval", "topics", "topics.tsv", "--memories", str(notes), "--write-run", "run")

    assert done.exit_code == 0, done.stderr
    assert "ms a recall" in done.stdout
    assert (tmp_path / "run").read_text(encoding="utf-8").startswith("q-1 Q0 ")
