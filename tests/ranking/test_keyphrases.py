"""Key phrases, names and noun slots."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ranking.keyphrases import key_phrases

NOTE = (
    'Yesterday Alice Smith, Head of Engineering at Grow Therapy, asked about OKRs. See "Job '
    'Mission" and SSL_MODE. Leadership matters, and leadership achievements matter more. '
    "Monday is fine. Anna's plan is about no-show rates."
)


def kinds(text: str) -> dict[str, str]:
    return {found.phrase: found.kind for found in key_phrases(text)}


def test_names_and_phrases_are_found() -> None:
    found = kinds(NOTE)
    names = {
        "Alice Smith",
        "Head of Engineering",
        "Grow Therapy",
        "OKRs",
        "Job Mission",
        "SSL_MODE",
    }
    assert names <= {phrase for phrase, kind in found.items() if kind == "name"}
    assert found["no-show rates"] == "phrase"


def test_a_word_that_only_opens_a_sentence_is_no_name() -> None:
    assert kinds("Carrots are good. We like carrots.").get("Carrots") != "name"
    assert kinds("Carefeed hires. Carefeed grows.")["Carefeed"] == "name"
    assert "Monday" not in {
        p for p, kind in kinds("On Monday. Or Monday.").items() if kind == "name"
    }


@given(st.text(max_size=200))
def test_any_text_gives_distinct_phrases_with_falling_scores(text: str) -> None:
    found = key_phrases(text)
    scores = [phrase.score for phrase in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    folded = [phrase.phrase.casefold() for phrase in found]
    assert len(folded) == len(set(folded))
    assert all(phrase.phrase.strip() for phrase in found)
    assert key_phrases(text, n=2) == found[:2]


@pytest.mark.parametrize(
    "unit",
    [
        "word ",
        "A ",
        "a_",
        "Abc of ",
        "- ",
        "(",
        " ",
        "东京面试",
        "'s",
    ],
)
def test_time_grows_with_the_length_not_its_square(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        start = process_time()
        key_phrases(text)
        return process_time() - start

    seconds(1000)
    short = min(seconds(2_000) for _ in range(2))
    # eight times the text: a quadratic finder would take 64 times as long
    assert min(seconds(16_000) for _ in range(2)) < 30 * short + 0.05
