"""Evidence recall within a budget, worked out by hand."""

import pytest
from benchmarks.evidence_score import EvidenceScorer
from benchmarks.evidence_set import EvidenceSet, ItemLine, QuestionLine

TEXTS = {
    "boiler": "Hobbs repaired the boiler on Tuesday",  # four shingles
    "hens": "Eleven hens live behind the school",
    "short": "Yes indeed",
}


def made_set() -> EvidenceSet:
    items = tuple(
        ItemLine(id=name, entity="ann", session="s", text=text) for name, text in TEXTS.items()
    )
    question = QuestionLine(
        id="q",
        entity="ann",
        question="?",
        category="multi",
        evidence=[["boiler", "short"], ["hens"]],
    )
    return EvidenceSet(name="made", items=items, questions=(question,))


@pytest.mark.parametrize(
    ("passages", "recall"),
    [
        ([], 0.0),
        (["Bob: Hobbs repaired the boiler on Tuesday", "nothing"], 0.5),
        (["Hobbs repaired the boiler"], 0.5),  # two of four shingles: half is enough
        (["Hobbs repaired the old boiler"], 0.0),  # one of four
        (["Yes indeed"], 0.5),  # an alternative of the first group
        (["Hobbs repaired the boiler", "hens live behind the school"], 1.0),
    ],
)
def test_a_group_is_found_with_half_the_shingles_of_one_of_its_items(
    passages: list[str], recall: float
) -> None:
    (question,) = made_set().questions

    assert EvidenceScorer(made_set()).recall(question, passages, budget=1000) == recall


def test_passages_count_until_the_first_that_exceeds_the_budget() -> None:
    passages = [TEXTS["boiler"], "x" * 400, TEXTS["hens"]]  # 9, 100 and 8.5 tokens
    recalls = EvidenceScorer(made_set()).recalls(
        made_set().questions[0], passages, budgets=[4, 20, 109, 118]
    )

    assert recalls == {4: 0.0, 20: 0.5, 109: 0.5, 118: 1.0}
