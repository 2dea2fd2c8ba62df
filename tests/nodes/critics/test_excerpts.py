"""What a critic reads of a memory: all of it if there is room, else the most telling parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.models.tokens import count_tokens
from secondhop.nodes.critics.excerpts import excerpt, excerpts, joined, telling_words
from secondhop.prompts.quoting import quoted
from secondhop.stores.records import Passage

pytestmark = pytest.mark.model  # texts are counted with tiktoken's ranks

TEXT = "We met in May. The salary was named by Anna.\nIt rained all day! Nobody spoke of the roof."


def passage(ordinal: int, text: str) -> Passage:
    return Passage(passage_id=f"m:h:{ordinal}", memory_id="m", ordinal=ordinal, text=text, tokens=9)


def test_the_opening_and_the_telling_sentences_are_shown_and_gaps_are_marked() -> None:
    told = excerpt(TEXT, tokens=17, telling=telling_words(["the roof"]))

    assert told == "We met in May. … Nobody spoke of the roof."


def test_what_two_passages_both_hold_is_read_once() -> None:
    first = "User: where is it?\n\nAssistant: In the cellar. Behind the door."
    second = "Assistant: In the cellar. Behind the door.\n\nUser: thanks."

    assert joined([passage(1, second), passage(0, first)]) == f"{first}\nUser: thanks."
    assert joined([passage(0, first), passage(4, second)]) == f"{first} … {second}"


@given(st.lists(st.text(max_size=400), max_size=4), st.integers(-5, 300))
def test_no_text_breaks_the_budget(texts: list[str], tokens: int) -> None:
    shown = excerpts(texts, tokens=tokens, telling=[{"a": 1.0}] * len(texts))

    assert sum(map(count_tokens, shown)) <= max(0, tokens)
    for text, told in zip(texts, shown, strict=True):
        if told and " … " not in told:
            assert "".join(told.split()) in "".join(quoted(text).split())
