"""Names, key phrases, and the topics made of them."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.keyphrases import names_in, phrases_in, topic_names

NOTE = (
    'Yesterday Alice Smith, Head of Engineering at Grow Therapy, asked about OKRs. See "Job '
    'Mission" and SSL_MODE. Leadership matters, and leadership achievements matter more. '
    "Monday is fine. Anna's plan is about no-show rates."
)


def test_names_and_phrases_are_found() -> None:
    names = {"Alice Smith", "Head of Engineering", "Grow Therapy", "OKRs", "Job Mission"}
    assert names <= set(names_in(NOTE, n=9))
    assert "SSL_MODE" not in names_in(NOTE, n=9)
    assert "no-show rates" in phrases_in(NOTE)
    assert {*names, "SSL_MODE", "no-show rates"} <= set(topic_names(NOTE))


def test_a_word_that_only_opens_a_sentence_is_no_name() -> None:
    assert names_in("Carrots are good. We like carrots.", n=9) == []
    assert names_in("Carefeed hires. Carefeed grows.", n=9) == ["Carefeed"]
    assert names_in("On Monday. Or Monday.", n=9) == []


@given(st.text(max_size=200))
def test_any_text_gives_distinct_topics(text: str) -> None:
    found = topic_names(text)
    assert len(found) == len({topic.casefold() for topic in found})
    assert all(topic.strip() for topic in found)
    assert topic_names(text, n=2) == found[:2]


@pytest.mark.parametrize("unit", ["word ", "A ", "a_", "Abc of ", "- ", "(", " ", "东京面试", "'s"])
def test_time_grows_with_the_length_not_its_square(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        start = process_time()
        topic_names(text)
        return process_time() - start

    seconds(1000)
    short = min(seconds(2_000) for _ in range(2))
    # eight times the text: a quadratic finder would take 64 times as long
    assert min(seconds(16_000) for _ in range(2)) < 30 * short + 0.05
