"""Plans for evidence sets: gold sub-questions, hop by hop."""

import pytest

from secondhop.errors import UsageError
from secondhop.evals.evidence_plans import hops, planner_for, spelt_out
from secondhop.evals.evidence_set import QuestionLine, SubQuestion

STEPS = (
    SubQuestion(question="Heather Quarterly >> publisher", answer="Moorland Botanists"),
    SubQuestion(question="Who founded #1?", answer="Ada Finch"),
    SubQuestion(question="Did #2 of #1 own a dog?"),
)


def question(**more: object) -> QuestionLine:
    made = {"id": "q1", "entity": "e", "question": "Whose dog?", "category": "c"}
    return QuestionLine.model_validate({**made, "evidence": [["i1"]], **more})


def test_later_steps_hold_the_answers_of_earlier_ones() -> None:
    assert spelt_out(STEPS) == [
        "Heather Quarterly publisher",
        "Who founded Moorland Botanists?",
        "Did Ada Finch of Moorland Botanists own a dog?",
    ]


def test_the_twelfth_answer_is_not_the_first_with_a_two_behind_it() -> None:
    steps = [SubQuestion(question="?", answer=f"a{n}") for n in range(1, 13)]

    assert spelt_out([*steps, SubQuestion(question="#12, #1")])[-1] == "a12, a1"


def test_every_step_is_a_hop_of_its_own() -> None:
    assert [(facet.hop, len(facet.queries)) for facet in hops(STEPS)] == [(1, 1), (2, 1), (3, 1)]


def test_gold_plans_need_sub_questions() -> None:
    planner = planner_for("gold", name="made", questions=[question(decomposition=STEPS)])
    assert planner.planner_id == "gold"

    with pytest.raises(UsageError, match="'q1' has no decomposition"):
        planner_for("gold", name="made", questions=[question()])
