"""The questions of a message that asks several are told apart."""

import pytest

from secondhop.nodes.planning.several_questions import several_questions


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("I am packing. Where is the tent? Who has the stove?", 2),
        ("Wo ist der Schlüssel? Für wen arbeite ich?", 2),
        ("Where is the key?", 0),
        ("Where is the key? Have you seen it?", 0),  # points back: the message says what it is
        ("What? Where is the key?", 0),
        ("Where is the key? Where is the key?", 0),
        ("What is 1? What is 2? What is 3? What is 4? What is 5?", 4),
        ("", 0),
    ],
)
def test_questions_are_told_apart(message: str, questions: int) -> None:
    assert len(several_questions(message)) == questions
