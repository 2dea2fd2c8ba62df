"""A budget is filled with turns, not with the passages around them."""

from pathlib import Path

from tests.fakes import NOW
from tests.small_world import ask, recall_settings, small_world

from secondhop.nodes.evidence.turns import turns_of, whole_id, with_turns
from secondhop.stores.records import Memory, Message, Passage

TALK = "Ann: I painted the lake.\n\nBob: How nice!\nReally: nice.\n\nAnn: Then I baked bread."


def passage(text: str, name: str = "m:0f:0") -> Passage:
    return Passage(passage_id=name, memory_id="m", ordinal=0, text=text, tokens=len(text.split()))


def test_a_passage_falls_into_its_turns_and_nothing_is_lost() -> None:
    turns = turns_of(passage(TALK))

    assert [turn.text.split(":")[0] for turn in turns] == ["Ann", "Bob", "Ann"]
    assert "\n\n".join(turn.text for turn in turns) == TALK
    assert {whole_id(turn.passage_id) for turn in turns} == {"m:0f:0"}
    assert len({turn.passage_id for turn in turns}) == 3


def test_turns_take_the_place_of_their_passage_and_notes_keep_theirs() -> None:
    note = passage("A note.", "n:0f:0")
    talk = passage(TALK)
    scores, pieces = with_turns(
        {talk.passage_id: 1.0, note.passage_id: 0.9},
        {talk.passage_id: talk, note.passage_id: note},
        "Who baked the bread?",
    )

    assert len(scores) == 4
    assert talk.passage_id not in scores
    assert scores[note.passage_id] == 0.9
    best = max(scores, key=lambda turn: scores[turn])
    assert pieces[best].text == "Ann: Then I baked bread."


async def test_a_recall_that_fills_tokens_brings_the_turn_and_leaves_the_small_talk(
    tmp_path: Path,
) -> None:
    said = [f"Small talk number {n} about nothing much at all." for n in range(12)]
    said[7] = "The Gotland ferry leaves the harbour at nine."
    turns = tuple(Message(("ann", "bob")[n % 2], text) for n, text in enumerate(said))
    talk = Memory(
        memory_id="talk", title="Talk", source="conversation", created_at=NOW, messages=turns
    )
    world = await small_world(tmp_path, [talk])
    services = world.services(settings=recall_settings(ranking={"min_score": 0.0}))
    result, _ = await ask(services, "When does the Gotland ferry leave?", tokens=12)

    (evidence,) = result.memories[0].evidence
    assert evidence.text == "bob: The Gotland ferry leaves the harbour at nine."
    assert "¶" not in evidence.passage_id
