"""Of two statements about the same thing the later comes first; nothing else moves."""

from dataclasses import dataclass
from typing import Any

import pytest

from secondhop.nodes.evidence.updates import with_later_first
from secondhop.nodes.planning.question_kind import question_kind
from secondhop.stores.records import Passage


@dataclass(frozen=True)
class Said:
    day: int
    text: str
    score: float
    memory: str = ""
    source: str = "conversation"


def order(question: str, **said: Said) -> list[str]:
    """Names of the passages, best first, after later statements were moved up."""
    memories = {name: one.memory or name for name, one in said.items()}
    passages = {
        name: Passage(
            passage_id=name, memory_id=memories[name], ordinal=place, text=one.text, tokens=9
        )
        for place, (name, one) in enumerate(said.items())
    }
    candidates = {
        memories[name]: {
            "created_at": f"2026-03-{one.day:02}T09:00:00+00:00",
            "source": one.source,
        }
        for name, one in said.items()
    }
    scores = {name: one.score for name, one in said.items()}
    state: Any = {
        "question": question,
        "kind": question_kind(question),
        "candidates": candidates,
    }
    moved = with_later_first(scores, passages, state)
    assert set(moved) == set(scores)
    return sorted(moved, key=lambda name: -moved[name])


QUESTION = "What is the deadline for my grant application?"
OLD = Said(1, "User: The deadline for my grant application is 20 April, I hear.", 1.0)
NEW = Said(9, "User: Can you plan my week? They moved the grant deadline to 25 April.", 0.6)
TEA = Said(5, "User: In Oslo we drank tea and forgot about the weather.", 0.8)


def test_a_later_statement_comes_before_an_older_one_that_is_nearer_to_the_question() -> None:
    names = order(QUESTION, old=OLD, tea=TEA, new=NEW)

    assert names.index("new") < names.index("old")


@pytest.mark.parametrize(
    "question",
    [
        "What was the deadline for my grant application?",
        "Which deadline would you suggest for my grant application?",
        "Help me write the grant application before the deadline.",
    ],
)
def test_a_question_about_the_past_or_for_advice_changes_nothing(question: str) -> None:
    assert order(question, old=OLD, tea=TEA, new=NEW) == ["old", "tea", "new"]


@pytest.mark.parametrize(
    ("why", "later"),
    [
        ("it holds no value", Said(9, "User: The grant deadline worries me, tell me more.", 0.6)),
        ("it is of something else", Said(9, "User: 25 April is the deadline for the talk.", 0.6)),
        ("it is far off the question", Said(9, NEW.text, 0.3)),
        ("an assistant says it", Said(9, "Assistant: The grant deadline is 25 April.", 0.6)),
        ("it was said before", Said(1, NEW.text, 0.6)),
    ],
)
def test_what_is_no_later_statement_stays_where_it_is(why: str, later: Said) -> None:
    assert order(QUESTION, later=later, old=OLD, tea=TEA) == ["old", "tea", "later"], why


def test_a_later_section_of_a_document_is_no_later_statement() -> None:
    rent = Said(1, "Section 2. The rent of the flat is 900 euros a month.", 1.0, "lease", "note")
    late = Said(1, "Section 7. If the rent of the flat is late, 5 euros.", 0.9, "lease", "note")

    assert order("How much is the rent of the flat?", rent=rent, late=late) == ["rent", "late"]
