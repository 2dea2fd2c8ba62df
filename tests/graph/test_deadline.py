"""No matter what hangs, the best answer so far comes back in time."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from tests.by_the_clock import BY_THE_CLOCK
from tests.fakes import (
    NOW,
    HangingCritic,
    HangingEmbedder,
    HangingPlanner,
    ScriptedCritic,
    ScriptedPlanner,
    forever,
    plan,
    votes,
)
from tests.small_world import QUESTION, Answer, SmallWorld, ask, interview_plan, recall_settings

from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.running import READING_S, RecallEvent, run_recall

pytestmark = BY_THE_CLOCK

DEADLINE_S = 0.4
LATE_S = 0.25
"""How long after the deadline an answer may come."""


async def in_time(services: Services) -> Answer:
    """The answer; asserts that it is not late."""
    started = time.perf_counter()
    answer = await ask(services)
    assert time.perf_counter() - started <= DEADLINE_S + LATE_S
    return answer


def hurried(world: SmallWorld, **parts: Any) -> Services:
    return world.services(settings=recall_settings(deadline_s=DEADLINE_S), **parts)


async def test_a_hanging_planner_is_replaced_in_time_for_a_full_answer(world: SmallWorld) -> None:
    result, _ = await in_time(hurried(world, planner=HangingPlanner()))

    assert {line.partition(":")[0] for line in result.degraded} == {"decompose", "expand"}
    assert {"plan", "wins", "coaching"} <= set(result.ids())
    assert result.stop_reason != "deadline"


async def test_a_hanging_critic_leaves_the_best_answer_so_far(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])

    result, trace = await in_time(hurried(world, planner=planner, critic=HangingCritic()))

    assert {"plan", "wins", "coaching"} <= set(result.ids())
    assert trace.returned == result.ids()
    assert any(line.startswith("critique") for line in result.degraded)


async def test_an_embedder_that_hangs_leaves_an_answer_by_words(
    world: SmallWorld,
) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])

    result, trace = await in_time(hurried(world, planner=planner, embedder=HangingEmbedder()))

    assert (result.stop_reason, trace.stop_reason) == ("deadline", "deadline")
    assert result.ids()
    assert any("dense: no answer before the deadline" in line for line in result.degraded)


class Stuck:
    """A reader that hangs the first `times` times passages are read. The first time is when the
    shortlist is drawn."""

    def __init__(self, reader: Any, *, times: float) -> None:
        self.reader, self.times, self.reads = reader, times, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    async def passages(self, passage_ids: list[str]) -> dict[str, Any]:
        self.reads += 1
        if self.reads <= self.times:
            await forever()
        found: dict[str, Any] = await self.reader.passages(passage_ids)
        return found

    async def cards(self, memory_ids: list[str]) -> dict[str, Any]:
        if self.reads and self.times == float("inf"):
            await forever()
        found: dict[str, Any] = await self.reader.cards(memory_ids)
        return found


async def test_a_step_that_is_cancelled_takes_nothing_from_the_trace(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    reader: Any = Stuck(world.services().reader, times=1)

    result, trace = await in_time(hurried(world, planner=planner, reader=reader))

    assert result.stop_reason == "deadline"
    assert "was cancelled" in trace.stop_detail
    assert {QUESTION, "coaching notes after the last mock interview"} <= {
        query.text for query in trace.queries
    }
    assert all(query.dense for query in trace.queries)
    assert {"plan", "research-1"} <= {one.memory_id for one in trace.candidates}
    assert {facet.name for facet in trace.facets} == {facet.name for facet in result.facets}


async def test_a_store_that_never_says_what_may_be_shown_holds_no_answer_and_shows_nothing(
    world: SmallWorld,
) -> None:
    class Silent:
        """Never says which memories still hold."""

        async def standing(self, **_: object) -> Any:
            return await forever()

    keeping: Any = Silent()

    started = time.perf_counter()
    async with asyncio.timeout(10):
        result, trace = await ask(hurried(world, keeping=keeping), as_of=NOW.isoformat())

    assert time.perf_counter() - started <= DEADLINE_S + READING_S + LATE_S
    assert (result.stop_reason, result.ids(), result.preferences) == ("deadline", [], [])
    assert any(line.startswith("deadline: ") for line in trace.degraded)


async def test_a_thread_that_cannot_be_cancelled_does_not_hold_the_answer(
    world: SmallWorld,
) -> None:
    class BlockingPlanner(ScriptedPlanner):
        async def expand(self, request: Any) -> Any:
            await asyncio.to_thread(time.sleep, 2 * DEADLINE_S)

    result, _ = await in_time(hurried(world, planner=BlockingPlanner(decompose=[plan()])))

    assert any(line.startswith("expand") for line in result.degraded)


async def test_a_slow_listener_is_not_cut_short(world: SmallWorld) -> None:
    services = hurried(world, critic=ScriptedCritic(votes(content=True)))
    graph = build_recall_graph(services)
    heard: list[RecallEvent] = []

    async for event in run_recall(graph, RecallInput(question=QUESTION), services=services):
        heard.append(event)
        if len(heard) == 1:
            await asyncio.sleep(DEADLINE_S + 0.2)

    assert heard[-1].result is not None
    assert heard[-1].result.stop_reason == "converged"


async def test_who_stops_listening_stops_the_recall(world: SmallWorld) -> None:
    services = hurried(world, critic=HangingCritic())
    stream = run_recall(
        build_recall_graph(services), RecallInput(question=QUESTION), services=services
    )

    assert (await anext(stream)).node == "begin"
    before = len(asyncio.all_tasks())
    await stream.aclose()

    assert len(asyncio.all_tasks()) < before


async def test_a_timeout_of_a_store_is_no_deadline(world: SmallWorld) -> None:
    class LockedOut:
        def __getattr__(self, name: str) -> Any:
            async def fail(*_: object, **__: object) -> None:
                raise TimeoutError("the store is locked")

            return fail

    services = replace(world.services(), search=LockedOut())

    with pytest.raises(TimeoutError, match="locked"):
        await ask(services)


async def test_a_machine_too_busy_for_the_first_step_answers_with_nothing(
    world: SmallWorld,
) -> None:
    class StuckGraph:
        """A graph whose first step never ends."""

        async def astream(self, *_: object, **__: object) -> AsyncIterator[object]:
            while True:
                yield await asyncio.Event().wait()

    class Unasked:
        """Cues of a store that is not asked when the time is up."""

        async def standing(self) -> Any:
            raise AssertionError

    cues: Any = Unasked()
    services = hurried(world, cues=cues)
    graph: Any = StuckGraph()
    asked = RecallInput(question=QUESTION)

    *_, last = [event async for event in run_recall(graph, asked, services=services)]

    assert last.result is not None
    assert (last.result.stop_reason, last.result.ids()) == ("deadline", [])
    assert last.trace is not None
    assert last.trace.question == QUESTION
