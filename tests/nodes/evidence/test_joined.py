"""Evidence of k memories, joined with the passages next to it."""

from contextlib import aclosing
from pathlib import Path
from typing import Any

from tests.fakes import NOW
from tests.small_world import ask, recall_settings, small_world

from secondhop.stores.records import Memory, Message

FILLER = " ".join(f"word{n}" for n in range(330))


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
