"""The days that a question names."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.nodes.evidence.dates import named_spans

ASKED = date(2025, 11, 20)


def nearest(question: str) -> list[tuple[str, str]]:
    """The named spans in the year when it is asked or, if it names a year, in any near year."""
    years = {2025} if " 202" not in question else {2023, 2024, 2025}
    spans = named_spans(question, asked_on=ASKED)
    return [(str(s.first), str(s.last)) for s in spans if s.first.year in years]


TIMES = """
2025-06-01 2025-06-30 What did we decide in June?
2025-08-12 2025-08-12 What did we decide on August 12th?
2024-05-03 2024-05-03 What happened on 3 May 2024?
2024-05-03 2024-05-03 What happened on the 3rd of May 2024?
2024-02-29 2024-02-29 Who came on 2024-02-29?
2025-01-08 2025-01-22 Which activity was in mid-January?
2025-02-18 2025-02-28 What changed at the end of February?
2025-03-01 2025-03-12 What was planned in early March?
2025-05-01 2025-05-31 What did I read in May?
2023-01-01 2023-12-31 What did I read in 2023?
2025-11-19 2025-11-19 What did I eat yesterday?
2025-11-10 2025-11-16 What did I eat last week?
2025-11-01 2025-11-20 What did I eat this month?
2025-10-01 2025-10-31 What did I eat last month?
2025-11-03 2025-11-09 Where did we go two weeks ago?
"""
"""Lines of: first day, last day, a question that names them."""


@pytest.mark.parametrize("line", TIMES.split("\n")[1:-1])
def test_a_time_in_words_is_a_span_of_days(line: str) -> None:
    first, last, question = line.split(" ", 2)

    assert nearest(question) == [(first, last)]


@pytest.mark.parametrize(
    "question",
    [
        "May I ask who may come?",
        "What did April say to August?",
        "Who marches, and in which March?",
        "On which day of the week was the 32nd?",
        "How many of the 2024 tickets are left?",
        "",
    ],
)
def test_names_and_other_words_are_no_time(question: str) -> None:
    assert named_spans(question, asked_on=ASKED) == []


@given(st.text(alphabet="May Jun 0123456789-,.thrdo agfweky", max_size=60), st.dates())
def test_no_question_breaks_it(question: str, day: date) -> None:
    for span in named_spans(question, asked_on=min(max(day, date(1900, 1, 1)), date(2200, 1, 1))):
        assert span.first <= span.last
