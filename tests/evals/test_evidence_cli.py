"""`eval evidence` on a made-up set: contract keys, quick runs, readable tables."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Cli, document, in_folder
from tests.evals.scenario_files import write_rows

from secondhop.evals.evidence_baselines import PASSAGE_BASELINES

pytestmark = pytest.mark.slow

LONG = " ".join(f"Page {n} of the diary tells of day {n} at sea." for n in range(40))
SAID = [
    ("ann", "a1", "monday", "Ann", "Hobbs repaired the boiler on Tuesday for ninety pounds."),
    ("ann", "a2", "monday", "Bob", "My sister keeps eleven hens behind the old school."),
    ("ann", "a3", "diary", "Ann", LONG),
    ("cay", "c1", "notes", "Cay", "The boiler of the ship was built in Gdansk."),
]


def asked(entity: str, name: str, question: str, evidence: list[list[str]]) -> dict[str, Any]:
    return {
        "id": name,
        "entity": entity,
        "question": question,
        "asked_at": None,
        "category": "multi" if len(evidence) > 1 else "single",
        "evidence": evidence,
    }


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Two people's sets: one in two sessions with a text of two passages, one of one line."""
    items = [
        {"id": i, "entity": e, "session": s, "created_at": None, "speaker": who, "text": text}
        for e, i, s, who, text in SAID
    ]
    questions = [
        asked("ann", "q1", "Who repaired the boiler on Tuesday?", [["a1"]]),
        asked("ann", "q2", "My sister's hens, and the diary of days at sea?", [["a2"], ["a3"]]),
        asked("cay", "q3", "Where was the boiler of the ship built?", [["c1"]]),
    ]
    return write_rows(tmp_path / "made", items=items, questions=questions)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_variables: None) -> Cli:
    """Run a command in an empty folder, with a cache of its own."""
    return in_folder(tmp_path, monkeypatch)


def test_passages_of_the_questions_own_entity_come_back(cli: Cli, made: Path) -> None:
    command = ("eval", "evidence", str(made), "--budgets", "20,1000", "--json")
    report = document(cli(*command))["made"]
    again = document(cli(*command, "--concurrency", "3"))["made"]

    assert report["results"]["q3"] == ["Cay: The boiler of the ship was built in Gdansk."]
    assert report["results"]["q1"][0].startswith("Ann: Hobbs repaired")
    assert all(len(text.split()) <= 201 for texts in report["results"].values() for text in texts)
    assert tuple(report["baselines"]) == PASSAGE_BASELINES
    # one passage of at most 80 characters answers each, and all of it fits into 1,000 tokens
    assert report["recall"]["single"] == {"20": 1.0, "1000": 1.0, "questions": 2}
    assert report["recall"]["multi"]["1000"] == report["recall"]["all"]["1000"] == 1.0
    assert again["results"] == report["results"]


HALF_AND_LESS = {
    # six of nine words: four of seven shingles. 36 characters: within 8 tokens "Tue" is left
    "q1": ["Hobbs repaired the boiler on Tuesday"],
    # three and two more of seven shingles, in 22 and 21 characters
    "q3": ["The boiler of the ship", "of the ship was built"],
    # the second is 20 tokens: it ends what counts within 20, though the third alone would fit
    "q2": ["Nothing of that", "-" * 80, "My sister keeps eleven hens behind", LONG],
}
"""Passages made by hand from the definition in docs/evaluate.md."""


def test_recall_is_counted_as_it_is_defined(cli: Cli, made: Path, tmp_path: Path) -> None:
    given = {"made": {"results": HALF_AND_LESS}}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    command = ("eval", "evidence", str(made), "--budgets", "8,20,40,1000", "--json")

    found = document(cli(*command, "--against", "given.json"))["against"]

    names = [f"recall@{budget}" for budget in (8, 20, 40, 1000)]
    whole = [found["measures"][name]["theirs"] for name in names]
    assert whole == pytest.approx([0.0, 2 / 3, 2.5 / 3, 1.0])


def test_a_limit_asks_fewer_questions_and_a_kept_store_finds_the_same(cli: Cli, made: Path) -> None:
    command = ("eval", "evidence", str(made), "--limit", "2", "--json", "--store", "kept")
    first, second = (document(cli(*command))["made"] for _ in range(2))

    assert first["recall"]["all"]["questions"] == len(first["results"]) == 2
    assert first["results"] == second["results"]


def test_tables_show_systems_and_types(cli: Cli, made: Path) -> None:
    shown = cli("eval", "evidence", str(made), "--budgets", "500")

    assert shown.exit_code == 0, shown.stderr
    for word in ("secondhop", *PASSAGE_BASELINES, "500 tok", "multi (1)", "single (2)"):
        assert word in shown.stdout


def test_an_earlier_report_is_measured_anew_and_compared(
    cli: Cli, made: Path, tmp_path: Path
) -> None:
    command = ("eval", "evidence", str(made), "--budgets", "20,1000", "--json")
    report = document(cli(*command))
    report["made"]["results"]["q3"] = ["Nothing of the kind."]
    (tmp_path / "before.json").write_text(json.dumps(report), encoding="utf-8")
    against = document(cli(*command, "--against", "before.json"))["against"]

    whole = against["measures"]["recall@1000"]
    assert against["against"] == "before.json"
    assert (whole["wins"], whole["ties"], whole["losses"]) == (1, 2, 0)
    assert whole["difference"] == pytest.approx(1 / 3)


def test_another_configuration_is_asked_the_same_questions(cli: Cli, made: Path) -> None:
    command = ("eval", "evidence", str(made), "--set", "limits.rounds=1")
    against = document(cli(*command, "--json", "--against", "ranking.recency=never"))["against"]
    shown = cli(*command, "--budgets", "500", "--against", "dense")

    assert set(against["measures"]) == {"recall@500", "recall@1000", "recall@2000"}
    assert shown.exit_code == 0, shown.stderr
    for word in ("against dense", "recall@500"):
        assert word in shown.stdout


@pytest.mark.parametrize("against", ["denes", "mmr 0.5", "other.json"])
def test_whoever_cannot_be_compared_with_is_wrong_usage(
    cli: Cli, made: Path, tmp_path: Path, against: str
) -> None:
    other = {"another set": {"results": {"q1": ["text"]}}}
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")

    assert cli("eval", "evidence", str(made), "--against", against).exit_code == 2


@pytest.mark.parametrize("budgets", ["many", "0", "500,", "-5,20"])
def test_budgets_that_are_none_are_wrong_usage(cli: Cli, made: Path, budgets: str) -> None:
    assert cli("eval", "evidence", str(made), f"--budgets={budgets}").exit_code == 2


def test_a_folder_that_is_no_set_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    refused = cli("eval", "evidence", str(tmp_path))

    assert refused.exit_code == 2
    assert "items.jsonl" in refused.stderr
