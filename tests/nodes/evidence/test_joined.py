"""Evidence of k memories, joined with the passages next to it."""

from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import NOW
from tests.small_world import ask, recall_settings, small_world

from secondhop.nodes.evidence.joined import belong_together, within
from secondhop.stores.records import Memory, Message, Passage

FILLER = " ".join(f"word{n}" for n in range(330))


def passage(text: str, *, heading: str = "", tokens: int = 10) -> Passage:
    return Passage(
        passage_id=text[:9], memory_id="m", ordinal=0, text=text, tokens=tokens, heading=heading
    )


@pytest.mark.parametrize(
    ("first", "second", "belongs"),
    [
        ("User: When does the ferry leave?", "Assistant: At nine.", True),
        ("User: The ferry leaves at nine.", "User: My sister keeps hens.", False),
        ("Assistant: First you boil the water,", "then you steep the leaves.", True),
        ("Is this note a question?", "It goes on without a speaker.", False),
    ],
)
def test_answers_and_turns_cut_in_two_belong(first: str, second: str, belongs: bool) -> None:
    assert belong_together(passage(first), passage(second)) is belongs


def test_the_best_passage_stays_and_the_rest_fits() -> None:
    sized = [passage("a", tokens=50), passage("b", tokens=30), passage("c", tokens=9)]

    assert within(sized, max_tokens=40) == ["a"]
    assert within(sized, max_tokens=60) == ["a", "c"]


async def evidence_of_ferry(tmp_path: Path, **limits: Any) -> list[dict[str, Any]]:
    """The evidence of a conversation whose question and answer are in two passages."""
    talk = Memory(
        memory_id="talk",
        title="Talk",
        source="conversation",
        created_at=NOW,
        messages=(
            Message("user", "When does the Gotland ferry leave the harbour at midsummer?"),
            Message("assistant", f"At nine. {FILLER} " + FILLER.replace("word", "other")),
        ),
    )
    world = await small_world(tmp_path, [talk])
    settings = recall_settings(ranking={"min_score": 0.0}, **limits)
    services = world.services(settings=settings)
    async with aclosing(world.store):
        result, _ = await ask(services, "When does the Gotland ferry leave the harbour?", k=1)
    return [evidence.model_dump() for evidence in result.memories[0].evidence]


async def test_an_answer_in_the_next_passage_comes_back_with_its_question(tmp_path: Path) -> None:
    whole = await evidence_of_ferry(tmp_path / "a")
    texts = " ".join(evidence["text"] for evidence in whole)

    assert "At nine." in texts
    assert "other329" in texts
    assert len({evidence["passage_id"] for evidence in whole}) == len(whole)
