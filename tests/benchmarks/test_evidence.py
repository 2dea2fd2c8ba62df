"""Evidence on a made-up set: what comes back, and how it is counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.evidence import main
from benchmarks.evidence_score import EvidenceScorer
from benchmarks.evidence_set import load_evidence_set
from tests.evals.scenario_files import write_rows

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
    """Sets of two people: one has two sessions and a text of two passages, one a single line."""
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


@pytest.mark.slow
@pytest.mark.usefixtures("no_variables")
def test_passages_of_the_questions_own_entity_come_back(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [str(made), "--budgets", "20,1000", "--embedder", "hashing"]
    main([*command, "--json"])
    report = json.loads(capsys.readouterr().out)["made"]

    assert report["results"]["q3"] == ["Cay: The boiler of the ship was built in Gdansk."]
    assert report["results"]["q1"][0].startswith("Ann: Hobbs repaired")
    assert all(len(text.split()) <= 201 for texts in report["results"].values() for text in texts)
    assert set(report["baselines"]) == {"dense", "bm25", "rrf"}
    # one passage of at most 80 characters answers each, and all of it fits into 1,000 tokens
    assert report["recall"]["single"] == {"20": 1.0, "1000": 1.0, "questions": 2}
    assert report["recall"]["multi"]["1000"] == report["recall"]["all"]["1000"] == 1.0

    main([*command, "--limit", "2"])
    shown = capsys.readouterr().out
    assert "made, 2 questions" in shown
    assert all(word in shown for word in ("secondhop", "rrf", "multi (1)", "single (1)"))


def test_recall_is_counted_as_it_is_defined(made: Path) -> None:
    given = {
        # six of nine words make four of seven shingles; of its 36 characters, 8 tokens leave "Tue"
        "q1": ["Hobbs repaired the boiler on Tuesday"],
        # three and two more of seven shingles, in 22 and 21 characters
        "q3": ["The boiler of the ship", "of the ship was built"],
        # the second has 20 tokens: nothing after it counts within 20, though the third would fit
        "q2": ["Nothing of that", "-" * 80, "My sister keeps eleven hens behind", LONG],
    }
    found = load_evidence_set(made)
    scorer, budgets = EvidenceScorer(found), [8, 20, 40, 1000]
    rows = [scorer.recalls(one, given[one.id], budgets=budgets) for one in found.questions]

    means = [sum(row[budget] for row in rows) / 3 for budget in budgets]
    assert means == pytest.approx([0.0, 2 / 3, 2.5 / 3, 1.0])
