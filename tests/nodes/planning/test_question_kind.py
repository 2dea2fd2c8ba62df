"""Ordinary questions, and the kind of each."""

import pytest

from secondhop.nodes.planning.question_kind import question_kind, several_questions
from secondhop.nodes.state import QuestionKind

QUESTIONS: dict[str, QuestionKind] = {
    "What is my blood type?": "factual",
    "Which supplier sold us the pump?": "factual",
    "Who fixed the roof last year?": "factual",
    "Where did we put the spare keys?": "factual",
    "How many chairs does the hall have?": "factual",
    "How much did the boiler cost?": "factual",
    "Is the passport still valid?": "factual",
    "Did Ana pay her share?": "factual",
    "What's the wifi password of the cabin?": "factual",
    "Whose turn is it to cook?": "factual",
    "I am at the shop. Which paint was it?": "factual",
    "In July, what did we book for the summer?": "factual",
    "At the party in May, to which neighbour did Ben lend it?": "factual",
    "After the storm, when was the roof repaired?": "temporal",
    "When is the rent due?": "temporal",
    "When did we last change the filters?": "temporal",
    "Since when does the car make that noise?": "temporal",
    "How long does the guarantee last?": "temporal",
    "What time does the ferry leave?": "temporal",
    "How often do I water the orchid?": "temporal",
    "How do I bleed a radiator?": "procedural",
    "How did we clean the stone floor?": "procedural",
    "Steps to renew the licence": "procedural",
    "Remind me how the projector is set up": "procedural",
    "How should I answer the landlord?": "procedural",
    "Help me prepare the talk for the school": "conceptual",
    "Plan a weekend with my parents": "conceptual",
    "What should I cook for Ben on Friday?": "conceptual",
    "Write a letter to the insurance about the leak": "conceptual",
    "Which of the two flats would you recommend?": "conceptual",
    "I feel stuck at work": "conceptual",
    "For the dinner with Ben, what goes well with salmon?": "conceptual",
    "In the end, what I had was enough.": "conceptual",
    "In May we moved, and what did it bring": "conceptual",
    "Give me ideas for the summer party": "conceptual",
    "What could go wrong with the move?": "conceptual",
    "Where should we go for our anniversary?": "conceptual",
    "My sister is coming with the twins and I have no plan yet": "conceptual",
}


@pytest.mark.parametrize(("question", "kind"), QUESTIONS.items())
def test_an_ordinary_question_has_its_kind(question: str, kind: QuestionKind) -> None:
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("I am packing. Where is the tent? Who has the stove?", 2),
        ("Wo ist der Schlüssel? Für wen arbeite ich?", 2),
        ("Where is the key?", 0),
        ("Where is the key? Have you seen it?", 0),  # "it" points back to what the message names
        ("What? Where is the key?", 0),
        ("Where is the key? Where is the key?", 0),
        ("What is 1? What is 2? What is 3? What is 4? What is 5?", 4),
        ("", 0),
    ],
)
def test_questions_are_told_apart(message: str, questions: int) -> None:
    assert len(several_questions(message)) == questions
