"""A name, or all telling words, that the question and a memory share are enough for an answer."""

from tests.fakes import note
from tests.small_world import SmallWorld, ask

SUNDAY = (
    "A long Sunday at the lake: the children fought over the canoe, the bread was stale, a heron "
    "stood in the reeds all morning, and both ferry tickets blew into the water before lunch."
)


async def test_a_look_up_is_answered_if_a_memory_holds_its_name(world: SmallWorld) -> None:
    await world.add(
        *(note(f"chore-{n}", f"Cleaned the gutter on side {n} of the shed") for n in range(40)),
        note("walnuts", "Oriol swells up after walnuts"),
    )

    known, _ = await ask(world.services(), "Which dessert suits Oriol's anniversary?")
    unknown, trace = await ask(world.services(), "Which dessert suits Quentin's anniversary?")

    assert known.ids()[0] == "walnuts"
    assert unknown.ids() == []
    assert "walnuts" in {one.memory_id for one in trace.candidates}


async def test_a_name_that_many_memories_hold_does_not_count(world: SmallWorld) -> None:
    await world.add(*(note(f"log-{n}", f"Oriol logged reading {n}") for n in range(60)))

    result, _ = await ask(world.services(), "Which dessert suits Oriol's anniversary?")

    assert result.ids() == []


async def test_a_look_up_is_answered_if_a_memory_holds_all_its_telling_words(
    world: SmallWorld,
) -> None:
    await world.add(
        *(note(f"chore-{n}", f"Cleaned the gutter on side {n} of the shed") for n in range(90)),
        note("tin", f"{SUNDAY} At four uncle came by with a tin of tobacco."),
    )

    held, _ = await ask(world.services(), "Where was uncle?")
    only_in_part, _ = await ask(world.services(), "Which submarine captain would please uncle?")
    common, _ = await ask(world.services(), "Where is the shed gutter?")

    assert held.ids()[:1] == ["tin"]
    assert only_in_part.ids() == []
    assert common.ids()


async def test_a_greeting_is_not_answered_by_a_memory_that_holds_its_words(
    world: SmallWorld,
) -> None:
    await world.add(note("coffee", f"{SUNDAY} Good coffee this morning."))

    result, _ = await ask(world.services(), "good morning")

    assert result.ids() == []
