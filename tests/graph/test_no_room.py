"""The near misses of an answer: what had no room in a token budget, what the critic refused, and
what repeats the answer."""

from pathlib import Path

from tests.fakes import ScriptedCritic, ScriptedPlanner, note, plan, votes
from tests.small_world import Answer, SmallWorld, ask, interview_plan, recall_settings

from secondhop.graph.explain import explain
from secondhop.recall import Recall


async def filled(world: SmallWorld, tokens: int) -> Answer:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    return await ask(world.services(planner=planner), tokens=tokens)


async def test_what_finds_no_room_is_a_near_miss_that_says_what_it_takes(
    world: SmallWorld,
) -> None:
    result, trace = await filled(world, 1)

    assert result.memories == []
    no_room = [near for near in result.maybe if near.tokens is not None]
    assert {"plan", "wins"} <= {near.id for near in no_room}
    assert result.maybe[: len(no_room)] == no_room
    for near in no_room:
        assert near.cut_by.startswith("tokens: its evidence does not fit into 1 token; ")
        assert f"its shortest passage takes {near.tokens}" in near.cut_by
    assert explain(trace, "plan").cut_by == "tokens"


async def test_so_many_tokens_as_the_smallest_takes_are_enough_and_one_less_is_not(
    world: SmallWorld,
) -> None:
    result, _ = await filled(world, 1)
    needs = {near.id: near.tokens for near in result.maybe if near.tokens is not None}
    least = min(needs.values())

    enough, _ = await filled(world, least)
    too_few, _ = await filled(world, least - 1)

    assert len(enough.memories) == 1
    assert enough.ids()[0] in needs
    assert not set(too_few.ids()) & set(needs)


async def test_what_has_room_is_no_near_miss_and_what_has_none_beside_it_is(
    world: SmallWorld,
) -> None:
    all_of_it, _ = await filled(world, 1_000)
    some, _ = await filled(world, 30)

    assert all(near.tokens is None for near in all_of_it.maybe)
    left = {near.id for near in some.maybe if near.tokens is not None}
    assert some.ids()
    assert left
    assert not left & set(some.ids())


async def test_a_fact_that_is_only_nearly_answered_is_told_of_as_well(world: SmallWorld) -> None:
    services = world.services(settings=recall_settings(ranking={"min_score": 0.7}))
    question = "Where are the new winter tyres and the snow chains kept?"

    chosen, _ = await ask(services, question)
    result, _ = await ask(services, question, tokens=1)
    given, _ = await ask(services, question, tokens=60)

    assert chosen.memories == []  # too far from the question for k memories
    assert given.memories  # but near enough to fill a budget
    assert given.ids()[0] in {near.id for near in result.maybe if near.tokens is not None}


async def test_room_that_is_left_over_is_not_filled_with_what_is_about_something_else(
    world: SmallWorld,
) -> None:
    result, trace = await filled(world, 100_000)

    assert "garden" not in result.ids()
    weak = next(near for near in result.maybe if near.id == "garden")
    assert weak.tokens is None
    assert "off topic" in weak.cut_by
    assert "no room" not in weak.cut_by
    assert {"plan", "wins", "coaching"} <= {*result.ids()}
    assert explain(trace, "garden").nearest_change.startswith("a question nearer to it")


async def test_what_the_critic_refused_is_a_near_miss(
    world: SmallWorld,
) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    critic = ScriptedCritic(votes(hot=["plan"], cold=["wins"], content=True))

    result, trace = await ask(world.services(planner=planner, critic=critic))

    misses = {near.id: near.cut_by for near in result.maybe}
    assert "wins" not in result.ids()
    assert misses["wins"] == "critique: voted cold: scripted cold"
    assert explain(trace, "wins").cut_by == "critique"


async def test_a_near_miss_that_repeats_the_answer_goes_by_its_score(tmp_path: Path) -> None:
    said = "Ana is allergic to nuts and eats no cake that contains any of them."
    others = [note(f"cake-{n}", f"Cake {n} is made of {n} eggs.") for n in range(9)]
    async with Recall.open(tmp_path, entity="mara", embedder="hashing") as recall:
        await recall.aadd([note("ana", said), note("copy", f"{said} Really."), *others])
        result = await recall.arecall("Which nuts and cake may Ana not eat?", k=1)

    assert result.ids() == ["ana"]
    assert result.maybe[0].id == "copy"
    assert "is close in wording or meaning to ana" in result.maybe[0].cut_by
