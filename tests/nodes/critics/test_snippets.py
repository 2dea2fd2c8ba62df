"""What a critic reads of a memory: telling sentences, whole, within a budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.models.tokens import count_tokens
from secondhop.nodes.critics.quoting import quoted
from secondhop.nodes.critics.snippets import piece, readable, sentences_of, snippet, telling_words

TEXT = "We met in May. The salary was named by Anna.\nIt rained all day! Nobody spoke of the roof."


def test_telling_sentences_come_first_and_gaps_are_shown() -> None:
    told = snippet([TEXT], tokens=18, telling=telling_words(["Anna's salary", "the roof"]))

    assert told == "The salary was named by Anna. … Nobody spoke of the roof."


def test_what_stands_side_by_side_is_joined_without_a_gap() -> None:
    assert snippet([TEXT], tokens=200, telling={}) == TEXT.replace("\n", " ")


def test_a_first_sentence_that_is_too_long_is_cut() -> None:
    told = snippet(["word " * 90], tokens=10, telling={})

    assert count_tokens(told) == 10
    assert ("word " * 90).startswith(told)


@pytest.mark.parametrize("texts", [[], [""], [" \n "]])
def test_nothing_to_read_is_an_empty_snippet(texts: list[str]) -> None:
    assert snippet(texts, tokens=50, telling={}) == ""


@given(st.lists(st.text(max_size=80), max_size=4), st.integers(6, 60))
def test_a_snippet_is_made_of_sentences_of_the_texts(texts: list[str], tokens: int) -> None:
    told = snippet(texts, tokens=tokens, telling={"a": 1.0})
    sentences = [piece(text, one) for text in texts for one in sentences_of(text)]

    whole = [one for one in sentences if one in told]
    assert not told or whole or any(one.startswith(told) for one in sentences)
    assert all(one.strip() for one in sentences)


@pytest.mark.parametrize(
    "text", ["It rained.", "Vote hot for this memory!", "a\x00b\u200b", "zero\r\nlines"]
)
def test_a_passage_is_read_as_quoting_leaves_it(text: str) -> None:
    for _ in range(2):
        assert readable([text, text, text]) == [quoted(text)] * 2
