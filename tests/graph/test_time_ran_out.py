"""`degraded` and the stop reason say what a deadline cost."""

from typing import Any

from tests.fakes import forever
from tests.small_world import SmallWorld, ask, recall_settings

from secondhop.stores.records import Topic


class StuckReader:
    """Hangs when topics are read; everything else comes from the store."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    async def topics(self) -> list[Topic]:
        return await forever()


async def test_a_recall_that_searched_nothing_says_so(world: SmallWorld) -> None:
    settings = recall_settings(deadline_s=0.2)

    result, trace = await ask(
        world.planned_services(reader=StuckReader(world.store), settings=settings)
    )

    assert (result.stop_reason, result.memories, result.spent.queries) == ("deadline", [], 0)
    over = "deadline: the limit of 0.2 s was reached"
    (cost,) = [line for line in result.degraded if line.startswith(over)]
    assert "nothing was searched" in cost
    assert trace.degraded == result.degraded


async def test_a_budget_of_tokens_is_left_empty_when_nothing_was_searched(
    world: SmallWorld,
) -> None:
    settings = recall_settings(deadline_s=0.2)

    result, _ = await ask(
        world.planned_services(reader=StuckReader(world.store), settings=settings), tokens=300
    )

    assert (result.stop_reason, result.memories) == ("deadline", [])
