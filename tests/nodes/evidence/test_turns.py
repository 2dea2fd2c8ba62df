"""A token budget is filled with turns instead of the passages around them."""

from contextlib import aclosing
from pathlib import Path

from tests.fakes import NOW
from tests.small_world import ask, recall_settings, small_world

from secondhop.graph.result import Evidence
from secondhop.stores.records import Memory, Message


async def evidence_for(turns: tuple[Message, ...], folder: Path, *, tokens: int) -> Evidence:
    """The only evidence of a talk for a question about a ferry."""
    talk = Memory(
        memory_id="talk", title="Talk", source="conversation", created_at=NOW, messages=turns
    )
    world = await small_world(folder, [talk])
    services = world.services(settings=recall_settings(ranking={"min_score": 0.0}))
    async with aclosing(world.store):
        result, _ = await ask(services, "When does the Gotland ferry leave?", tokens=tokens)
    (evidence,) = result.memories[0].evidence
    return evidence


async def test_a_recall_that_fills_tokens_brings_the_turn_and_leaves_the_small_talk(
    tmp_path: Path,
) -> None:
    said = [f"Small talk number {n} about nothing much at all." for n in range(12)]
    said[7] = "The Gotland ferry leaves the harbour at nine."
    turns = tuple(Message(("ann", "bob")[n % 2], text) for n, text in enumerate(said))

    evidence = await evidence_for(turns, tmp_path, tokens=18)

    assert evidence.text == "bob: The Gotland ferry leaves the harbour at nine."
    assert "¶" not in evidence.passage_id


async def test_a_short_talk_stays_whole(tmp_path: Path) -> None:
    turns = (Message("ann", "The ferry from Gotland is late."), Message("bob", "ok"))

    evidence = await evidence_for(turns, tmp_path, tokens=30)

    assert evidence.text == "ann: The ferry from Gotland is late.\n\nbob: ok"
