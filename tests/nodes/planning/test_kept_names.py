"""Names of what is kept: put together in one pass, and read at the cost of the time for a plan."""

import asyncio
import time
from dataclasses import replace
from typing import Any, cast

from tests.fakes import ScriptedPlanner, plan
from tests.small_world import SmallWorld

from secondhop.nodes.begin import begin
from secondhop.nodes.expand import expand
from secondhop.nodes.planning.fact_index import together
from secondhop.nodes.state import RecallState
from secondhop.stores.records import Standing

SLOW_S = 0.2


class CountedEnds(set[str]):
    """Counts the questions whether something ended."""

    looks = 0

    def __contains__(self, one: object) -> bool:
        self.looks += 1
        return super().__contains__(one)


def test_many_values_of_one_name_are_each_looked_at_once() -> None:
    rows = [("me", "mood", f"f-{number}") for number in range(300)]
    ended = CountedEnds({"f-299"})

    (one,) = together("factual", rows, ended=ended)

    assert one.memory_ids == (*(f"f-{number}" for number in reversed(range(299))), "f-299")
    assert ended.looks == len(rows)


class SlowKeeping:
    """Passes everything on; how memories stand takes a while."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def standing(self, **moment: Any) -> Standing:
        await asyncio.sleep(SLOW_S)
        stored: Standing = await self._inner.standing(**moment)
        return stored


async def test_a_planner_is_told_the_time_that_reading_the_names_has_left(
    world: SmallWorld,
) -> None:
    planner = ScriptedPlanner(expand=[plan()])
    services = replace(world.services(planner=planner), keeping=SlowKeeping(world.store))
    state = cast(RecallState, await begin({"question": "What now?"}, services=services))
    left = state["deadline_at"] - time.time()

    await expand(state, services=services)

    (request,) = planner.requests
    assert request.remaining.seconds <= left - SLOW_S
