"""What the kind of a question changes."""

import pytest

from secondhop.nodes.planning.question_kind import age_counts
from secondhop.nodes.state import QuestionKind


@pytest.mark.parametrize(
    "question",
    [
        "When is the rent due?",
        "When does my passport run out?",
        "When did we last change the filters?",
        "When did we most recently see the vet?",
        "How long does the guarantee last?",
        "Until when is the insurance valid?",
        "On which day will Ana's course begin?",
    ],
)
def test_age_counts_where_a_time_is_asked_that_holds_or_is_to_come(question: str) -> None:
    assert age_counts("temporal", question)


@pytest.mark.parametrize(
    "question",
    [
        "When did we go to Rome?",
        "How long was the flight last summer?",
        "When did we paint the fence last year?",
        "How long did the cold last?",
        "How long did the cold last until it went?",
        "Which of the two trips came first?",
        "How many years ago did we move in?",
    ],
)
def test_age_does_not_count_where_a_time_in_the_past_is_asked(question: str) -> None:
    assert not age_counts("temporal", question)


@pytest.mark.parametrize("kind", ["factual", "conceptual", "procedural"])
def test_other_kinds_go_by_words_about_the_present(kind: QuestionKind) -> None:
    assert age_counts(kind, "What is my current rate?")
    assert not age_counts(kind, "When is the rent due?")
