"""Evidence sets: read strictly, and shared out fairly when only some questions are asked."""

from pathlib import Path
from typing import Any

import pytest
from benchmarks.evidence_set import QuestionLine, load_evidence_set, stratified
from tests.evals.scenario_files import write_rows

from secondhop.errors import UsageError

ITEM = {"id": "a1", "entity": "ann", "session": "s1", "speaker": "Ann", "text": "Tea at four."}
QUESTION = {
    "id": "q1",
    "entity": "ann",
    "question": "When is tea?",
    "asked_at": None,
    "category": "time",
    "evidence": [["a1"]],
}


def folder(path: Path, items: list[dict[str, Any]], questions: list[dict[str, Any]]) -> Path:
    return write_rows(path, items=items, questions=questions)


def test_a_set_is_read_and_fields_that_we_do_not_know_are_left_alone(tmp_path: Path) -> None:
    found = load_evidence_set(folder(tmp_path, [ITEM], [QUESTION | {"decomposition": []}]))

    assert found.name == tmp_path.name
    assert [item.text for item in found.items_of("ann")] == ["Tea at four."]


def test_of_two_items_with_one_id_evidence_means_the_last(tmp_path: Path) -> None:
    found = load_evidence_set(folder(tmp_path, [ITEM, ITEM | {"text": "No."}], [QUESTION]))

    assert len(found.items_of("ann")) == 2
    assert found.by_id()["a1"].text == "No."


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"evidence": [["a9"]]}, "questions.jsonl:1: question 'q1' names an unknown item 'a9'"),
    ({"evidence": []}, "questions.jsonl:1: evidence"),
    ({"evidence": [[]]}, "questions.jsonl:1: evidence.0"),
    ({"entity": "bob"}, "no item belongs to its entity 'bob'"),
    ({"question": ""}, "questions.jsonl:1: question"),
]


@pytest.mark.parametrize(("change", "said"), MISTAKES)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        load_evidence_set(folder(tmp_path, [ITEM], [QUESTION | change]))


def asked(categories: str) -> list[QuestionLine]:
    return [
        QuestionLine.model_validate(QUESTION | {"id": f"q{n}", "category": category})
        for n, category in enumerate(categories)
    ]


def test_a_limit_keeps_the_shares_of_the_types_and_their_order() -> None:
    chosen = stratified(asked("aaaaaaaabbbb"), limit=6)

    assert [question.category for question in chosen] == list("aaaabb")
    assert [question.id for question in chosen] == ["q1", "q3", "q5", "q7", "q9", "q11"]


def test_a_rare_type_gets_a_question_before_any_other_gets_a_second() -> None:
    assert {question.category for question in stratified(asked("a" * 50 + "b"), limit=2)} == {
        "a",
        "b",
    }
