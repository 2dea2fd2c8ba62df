"""Memories cut into parts: nothing is left out, and no part is too long."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.annotate.parts import cut, memory_text
from secondhop.models.tokens import count_tokens
from secondhop.stores.records import Memory, Message
from secondhop.testing import note

pytestmark = pytest.mark.model  # tokens are counted


def chat(*said: tuple[str, str]) -> Memory:
    return Memory(
        memory_id="c",
        title="A chat",
        source="conversation",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        messages=tuple(Message(role, content) for role, content in said),
    )


def test_a_note_is_its_text_and_a_chat_names_its_speakers() -> None:
    talk = chat(("user", "Where is the key?"), ("assistant", "With Ada."), ("Ben", "No."))

    assert memory_text(note("n", "  The key is with Ada.\n")) == "The key is with Ada."
    assert memory_text(talk) == "User: Where is the key?\nAssistant: With Ada.\nBen: No."


@given(
    st.lists(st.text("abc de\n", min_size=1, max_size=200), min_size=1, max_size=30),
    st.integers(12, 80),
)
def test_every_word_is_in_a_part_and_no_part_is_too_long(texts: list[str], tokens: int) -> None:
    text = "\n".join(texts)

    pieces = list(cut(text, tokens=tokens))

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(count_tokens(piece) <= tokens for piece in pieces)
