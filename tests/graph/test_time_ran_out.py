"""What a deadline cost is said: in `degraded`, and by the reason for stopping."""

from typing import Any

from tests.fakes import HangingCritic, HangingPlanner, ScriptedCritic, forever, votes
from tests.small_world import SmallWorld, ask, recall_settings

from secondhop.stores.records import Topic


class StuckReader:
    """Comes to no topics, ever; everything else is the store's."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    async def topics(self) -> list[Topic]:
        return await forever()


async def test_a_recall_that_searched_nothing_says_so(world: SmallWorld) -> None:
    settings = recall_settings(deadline_s=0.2)

    result, trace = await ask(world.services(reader=StuckReader(world.store), settings=settings))

    assert (result.stop_reason, result.memories, result.spent.queries) == ("deadline", [], 0)
    (cost,) = result.degraded
    assert cost.startswith("deadline: 0.2 s are over")
    assert "nothing was searched" in cost
    assert trace.degraded == result.degraded


async def test_a_planner_without_a_model_is_not_asked_again_when_it_is_late(
    world: SmallWorld,
) -> None:
    planner = HangingPlanner()
    settings = recall_settings(deadline_s=2.0)

    result, _ = await ask(
        world.services(planner=planner, offline_planner=planner, settings=settings),
        "Carefeed research before the interview",
    )

    assert result.ids()  # half of the time is left for the question alone
    assert [line.partition(":")[0] for line in result.degraded] == ["decompose", "expand"]
    assert not any("offline" in line or "no answer" in line for line in result.degraded)


async def test_rounds_that_time_did_not_allow_are_named(world: SmallWorld) -> None:
    services = world.services(
        critic=HangingCritic(),
        offline_critic=ScriptedCritic(votes(hot=["plan"])),
        settings=recall_settings(deadline_s=1.0),
    )

    result, trace = await ask(services)

    assert result.stop_reason == "deadline"
    assert any(line.startswith("deadline: 1 s are over") for line in result.degraded)
    assert trace.degraded == result.degraded
