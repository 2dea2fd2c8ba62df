"""For another question, memories that were shown lately yield to those that were not."""

from pathlib import Path

from tests.fakes import EchoPlanner, note
from tests.garden import FIRST, GARDEN, NEAR
from tests.small_world import SmallWorld, ask, recall_settings, small_world

from secondhop.nodes.selection.relevance import EXPOSURE


async def world_of(folder: Path) -> SmallWorld:
    return await small_world(folder, (*GARDEN, note("car", "The brakes of the car squeak")))


def fresh(freshness: float, **ranking: float) -> dict[str, object]:
    return {"settings": recall_settings(ranking={"freshness": freshness, **ranking})}


async def test_a_question_asked_again_gets_the_same_answer(tmp_path: Path) -> None:
    world = await world_of(tmp_path)
    services = world.services(**fresh(1.0))

    first = await ask(services, FIRST, k=3)
    other = await ask(services, NEAR, k=3)
    again = await ask(services, f"  {FIRST.upper()}", k=3)
    once_more = await ask(services, NEAR, k=3)

    assert len(first.result.ids()) == 3
    assert again.result.ids() == first.result.ids()
    assert once_more.result.ids() == other.result.ids()
    await world.store.aclose()


async def test_a_near_question_meets_other_memories_first_when_freshness_is_asked_for(
    tmp_path: Path,
) -> None:
    world = await world_of(tmp_path)
    plain, varied = world.services(), world.services(**fresh(1.0))

    shown = (await ask(plain, FIRST, k=3)).result.ids()
    same = (await ask(plain, NEAR, k=3)).result.ids()
    await ask(varied, FIRST, k=3)
    other = await ask(varied, NEAR, k=3)

    assert set(same) & set(shown)
    assert len(set(other.result.ids()) & set(shown)) < len(set(same) & set(shown))
    factors = {one.memory_id: one.factors for one in other.trace.candidates}
    assert {factors[one]["exposure"] for one in shown} == {1 - EXPOSURE}
    await world.store.aclose()


async def test_variety_lets_nothing_in_that_is_below_the_threshold_and_nothing_out(
    tmp_path: Path,
) -> None:
    world = await world_of(tmp_path)
    planner = EchoPlanner()
    plain, varied = (world.services(planner=planner, **parts) for parts in ({}, fresh(1.0)))

    wanted = (await ask(plain, NEAR, k=10)).result.ids()
    await ask(varied, FIRST, k=10)
    answer = await ask(varied, NEAR, k=10)

    assert sorted(answer.result.ids()) == sorted(wanted)
    assert "car" not in answer.result.ids()
    assert all(
        one.score >= varied.settings.ranking.min_score
        for one in answer.trace.candidates
        if one.slot is not None
    )
    await world.store.aclose()


async def test_with_tokens_a_near_question_meets_other_passages_first(tmp_path: Path) -> None:
    world = await world_of(tmp_path)
    plain, varied = world.services(), world.services(**fresh(1.0))
    budget = 28  # two of the six

    shown = (await ask(plain, FIRST, tokens=budget)).result.ids()
    same = (await ask(plain, NEAR, tokens=budget)).result.ids()
    first = (await ask(varied, FIRST, tokens=budget)).result.ids()
    other = (await ask(varied, NEAR, tokens=budget)).result.ids()
    again = (await ask(varied, FIRST, tokens=budget)).result.ids()
    once_more = (await ask(varied, NEAR, tokens=budget)).result.ids()

    assert shown == first == again
    assert set(same) & set(shown)
    assert len(set(other) & set(shown)) < len(set(same) & set(shown))
    assert once_more == other
    await world.store.aclose()
