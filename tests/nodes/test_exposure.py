"""What was shown lately yields to what was not, for other questions alone."""

from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_world import SmallWorld, ask, recall_settings, small_world

from secondhop.nodes.begin_session import begin_session
from secondhop.nodes.exposure import HALF_LIFE, MOST, REMEMBERED, ExposureMemory
from secondhop.nodes.settings import RankingSettings

GARDEN = tuple(
    note(f"bed-{number}", f"Garden bed {number}: tomatoes and basil, watered {when}")
    for number, when in enumerate(("daily", "weekly", "at dawn", "by hand", "by hose", "rarely"))
)
FIRST = "What grows in the garden beds?"
NEAR = "Which tomatoes and basil grow in the garden?"


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
    assert {factors[one]["exposure"] for one in shown} == {1 - MOST}
    await world.store.aclose()


async def test_without_freshness_nothing_yields_and_nothing_is_remembered(tmp_path: Path) -> None:
    world = await world_of(tmp_path)
    services = world.services()

    await ask(services, FIRST, k=3)
    other = await ask(services, NEAR, k=3)

    assert all("exposure" not in one.factors for one in other.trace.candidates)
    assert services.exposure.weary(NEAR) == {}
    await world.store.aclose()


async def test_variety_lets_nothing_in_that_is_below_the_threshold_and_nothing_out(
    tmp_path: Path,
) -> None:
    world = await world_of(tmp_path)
    plain, varied = world.services(), world.services(**fresh(1.0))

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


def test_wear_halves_and_the_newest_time_counts() -> None:
    memory = ExposureMemory()
    memory.show("old", ["a", "b"], weary={})
    for number in range(HALF_LIFE):
        memory.show(f"between {number}", ["b"], weary={})

    assert memory.weary("new") == {"b": 1.0, "a": 0.5}


def test_only_the_last_questions_are_remembered() -> None:
    memory = ExposureMemory()
    for number in range(REMEMBERED + 1):
        memory.show(f"question {number}", [f"m{number}"], weary={})

    assert "m0" not in memory.weary("another")
    assert f"m{REMEMBERED}" in memory.weary("another")


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_freshness_is_a_share(wrong: float) -> None:
    with pytest.raises(ValueError, match="freshness"):
        RankingSettings(freshness=wrong)


async def test_a_session_follows_its_votes_and_not_what_was_shown(tmp_path: Path) -> None:
    world = await world_of(tmp_path)
    services = world.services(**fresh(1.0))
    await ask(services, FIRST, k=3)

    begun = await begin_session({"question": NEAR}, services=services)

    assert services.exposure.weary(NEAR)
    assert "exposure" not in begun
    await world.store.aclose()
