"""Questions with one answer are known, and it is measured how far up that stands."""

from math import log2

import pytest
from tests.fakes import NOW

from secondhop.evals.one_answer import (
    answers,
    one_answer_measures,
    over_all,
    place_of,
    places_in,
)
from secondhop.evals.scenario import Question


def question(*facets: dict[str, int], **labels: object) -> Question:
    return Question.model_validate(
        {
            "id": "q",
            "query": "Where is it?",
            "asked_at": NOW,
            "k": 5,
            "facets": [
                {"name": f"f{n}", "why": "", "hop": 1, "relevant": grades}
                for n, grades in enumerate(facets)
            ],
            "redundant": [],
            "stale": {},
            **labels,
        }
    )


def test_the_one_essential_memory_is_the_answer() -> None:
    assert answers(question({"a": 3, "b": 2}, {"c": 2})) == {"a"}


def test_memories_that_say_the_same_are_one_answer() -> None:
    assert answers(question({"a": 3, "b": 3}, redundant=[["a", "b"]])) == {"a", "b"}


def test_a_question_that_takes_two_memories_has_no_single_answer() -> None:
    assert answers(question({"a": 3}, {"b": 3})) == frozenset()


def test_what_was_replaced_is_no_answer() -> None:
    assert answers(question({"a": 3, "b": 3}, stale={"b": "a"})) == {"a"}


def test_only_the_first_ten_are_looked_at() -> None:
    ranked = [f"m{n}" for n in range(1, 13)]
    assert place_of(frozenset({"m10", "m12"}), ranked) == 10
    assert place_of(frozenset({"m11"}), ranked) is None


def test_measures_by_hand() -> None:
    found = one_answer_measures([1, 3, None])
    assert found["mrr"] == pytest.approx((1 + 1 / 3) / 3)
    assert found["ndcg_10"] == pytest.approx((1 + 1 / log2(4)) / 3)
    assert found["recall_10"] == pytest.approx(2 / 3)
    assert one_answer_measures([]) == {}


def test_means_over_several_scenarios_count_every_question_once() -> None:
    first = places_in({"q1": {"ours": 1, "dense": 2}, "q2": {"ours": None, "dense": 1}, "q3": {}})
    second = places_in({"p1": {"ours": 2, "dense": None}})

    assert first == {"ours": {"q1": 1, "q2": None}, "dense": {"q1": 2, "q2": 1}}
    assert over_all([first, second])["ours"]["mrr"] == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert over_all([]) == {}
