"""The shape of a run: what runs in parallel, and what runs once per query."""

import asyncio

from tests.fakes import ScriptedCritic, ScriptedPlanner, plan, votes
from tests.small_world import SmallWorld, ask, interview_plan

from secondhop.nodes.planning.port import Plan, PlanRequest


class MeetingPlanner(ScriptedPlanner):
    """Answers `decompose` and `expand` only if both are asked at the same time."""

    def __init__(self) -> None:
        super().__init__(decompose=[plan()], expand=[interview_plan()])
        self._both = asyncio.Barrier(2)

    async def decompose(self, request: PlanRequest) -> Plan:
        await self._both.wait()
        return await super().decompose(request)

    async def expand(self, request: PlanRequest) -> Plan:
        await self._both.wait()
        return await super().expand(request)


async def test_decompose_and_expand_run_side_by_side(world: SmallWorld) -> None:
    services = world.services(planner=MeetingPlanner(), critic=ScriptedCritic(votes(content=True)))

    _, trace = await ask(services)

    assert trace.degraded == []
    assert trace.steps[0].node == "begin"
    assert {step.node for step in trace.steps[1:3]} == {"decompose", "expand"}


async def test_only_expand_is_told_what_the_memory_holds(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])

    await ask(world.services(planner=planner, critic=ScriptedCritic(votes(content=True))))

    topics = [len(request.topics) for request in planner.requests]
    assert min(topics) == 0
    assert max(topics) >= 1


async def test_a_recall_without_any_plan_still_asks_the_question_itself(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[plan()])

    result, trace = await ask(
        world.services(planner=planner, critic=ScriptedCritic(votes(content=True)))
    )

    assert {query.origin for query in trace.queries} == {"question", "playbook"}
    assert {"research-1", "research-2"} & set(result.ids())


async def test_without_a_model_a_recall_is_one_round_with_the_playbooks_beside(
    world: SmallWorld,
) -> None:
    result, trace = await ask(world.services())

    assert {"begin", "suggest", "resolve"} < {step.node for step in trace.steps}
    assert not {"decompose", "expand", "diversify", "critique"} & {s.node for s in trace.steps}
    assert (result.rounds, result.stop_reason) == (1, "complete")


async def test_playbooks_have_no_say_in_a_look_up(world: SmallWorld) -> None:
    result, trace = await ask(world.services(), "Where are the winter tyres of the car?")

    assert "suggest" not in {step.node for step in trace.steps}
    assert result.ids()[0] == "car"
