"""Which memories are hidden is looked up once per recall and released with its answer."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes import NOW, HangingCritic, ScriptedPlanner, plan
from tests.session_world import session_services, sessions_over, started
from tests.small_world import (
    QUESTION,
    SmallWorld,
    ask,
    interview_plan,
    recall_settings,
    states,
)

from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.selection.visibility import Hidden, HiddenMemory
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.running import run_recall
from secondhop.stores.keeping import Keeping
from secondhop.stores.records import Standing


class CountedKeeping:
    """Passes everything on, and counts how often it is asked which memories hold."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.looks = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def standing(self, **moment: Any) -> Standing:
        self.looks += 1
        stored: Standing = await self._inner.standing(**moment)
        return stored


@dataclass(slots=True, eq=False)
class WatchedHidden(HiddenMemory):
    """Records which recalls asked, and which have not released it."""

    held: set[str] = field(default_factory=set[str])
    asked: set[str] = field(default_factory=set[str])

    async def of(self, state: RecallState, services: Services) -> Hidden:
        self.held.add(state["trace_id"])
        self.asked.add(state["trace_id"])
        return await HiddenMemory.of(self, state, services)

    def forget(self, trace_id: str) -> None:
        self.held.discard(trace_id)
        HiddenMemory.forget(self, trace_id)


async def test_a_recall_that_was_late_or_given_up_leaves_nothing(world: SmallWorld) -> None:
    hidden = WatchedHidden()
    planner = ScriptedPlanner(decompose=[plan()] * 2, expand=[interview_plan()] * 2)
    services = world.services(
        settings=recall_settings(deadline_s=0.4), planner=planner, critic=HangingCritic()
    )
    services = replace(services, hidden=hidden)

    await ask(services)
    run = run_recall(build_recall_graph(services), {"question": QUESTION}, services=services)
    async with aclosing(run) as steps:
        async for step in steps:
            if step.node == "diversify":
                break
    await asyncio.sleep(0)

    assert len(hidden.asked) == 2
    assert hidden.held == set()


class EndsMeanwhile(CountedKeeping):
    """A store in which the memories in `ended` no longer hold."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.ended: set[str] = set()

    async def standing(self, **moment: Any) -> Standing:
        stored = await CountedKeeping.standing(self, **moment)
        ended = {one: Keeping(deprecated_at=NOW) for one in self.ended}
        return replace(stored, keepings={**stored.keepings, **ended})


async def test_what_ended_since_a_round_is_gone_from_its_answer(world: SmallWorld) -> None:
    keeping = EndsMeanwhile(world.store)
    sessions = sessions_over(session_services(world, keeping=keeping))
    answer = await started(sessions)
    assert "plan" in answer.ids()

    keeping.ended.add("plan")

    assert "plan" not in (await sessions.aget(answer.session_id)).ids()


async def test_recalls_of_one_trace_id_see_what_each_may_see(world: SmallWorld) -> None:
    keeping = EndsMeanwhile(world.store)
    keeping.ended.add("plan")
    services = world.services(keeping=keeping)
    today = (await states(services))[-1]
    stale: RecallState = {**today, "include_stale": True}

    before = keeping.looks
    seen = [await services.hidden.of(one, services) for one in (today, stale, today)]

    assert ["plan" in one.reasons for one in seen] == [True, False, True]
    assert keeping.looks == before + 2
