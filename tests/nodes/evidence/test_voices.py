"""Whose words a question asks for."""

import pytest

from secondhop.nodes.evidence.speaker_match import NAMED_SPEAKER, OWN_TURNS, voice_factors
from secondhop.stores.records import Passage


def said(*texts: str) -> list[Passage]:
    return [
        Passage(passage_id=text, memory_id="m", ordinal=n, text=text, tokens=9)
        for n, text in enumerate(texts)
    ]


OWN, REPLY = "User: I drink green tea.", "Assistant: Green tea is fine."


def test_what_the_person_said_counts_for_more_than_what_the_assistant_replied() -> None:
    factors = voice_factors(said(OWN, REPLY, f"{OWN}\n\n{REPLY}"), "Which tea do I drink?")

    assert factors[OWN] == 1 + OWN_TURNS
    assert factors[REPLY] == 1.0
    assert 1.0 < factors[f"{OWN}\n\n{REPLY}"] < 1 + OWN_TURNS


def test_a_note_is_in_the_persons_own_words() -> None:
    factors = voice_factors(said(OWN, REPLY, "Green tea at six."), "Which tea do I drink?")

    assert factors["Green tea at six."] == factors[OWN] > factors[REPLY]


@pytest.mark.parametrize(
    "question", ["Which tea did you recommend?", "What was your advice about tea?"]
)
def test_a_question_about_the_replies_favours_nobody(question: str) -> None:
    assert voice_factors(said(OWN, REPLY), question) == {OWN: 1.0, REPLY: 1.0}


def test_whoever_the_question_names_is_the_one_to_hear() -> None:
    talk = [f"{name}: line {n}" for n in range(6) for name in ("Ann", "Bob")]
    factors = voice_factors(said(*talk), "What did Ann paint?")

    assert {factors[line] for line in talk if line.startswith("Ann")} == {1 + NAMED_SPEAKER}
    assert {factors[line] for line in talk if line.startswith("Bob")} == {1.0}
