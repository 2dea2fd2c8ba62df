"""How much each effort asks a language model."""

import pytest
from tests.fakes import ScriptedCritic, ScriptedPlanner, plan, votes
from tests.graph.test_cues import FRAME, LETTER, stored_for
from tests.small_world import QUESTION, SmallWorld, ask, interview_plan

from secondhop.errors import UsageError
from secondhop.nodes.critics.port import Ballot, FollowUp, Verdict
from secondhop.nodes.services import Services


def modelled(world: SmallWorld, *verdicts: Verdict) -> Services:
    """Services with a planner for one plan and a critic for these verdicts."""
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    return world.services(planner=planner, critic=ScriptedCritic(*verdicts))


async def give_cues_to_all(world: SmallWorld) -> None:
    """Store the memories of the world again, each with a cue."""
    memories = [await world.store.memory(one) for one in await world.store.content_hashes()]
    await world.add(*(stored_for(one, "help me prepare") for one in memories if one))


async def test_none_asks_no_model_though_there_is_one(world: SmallWorld) -> None:
    result, trace = await ask(modelled(world), effort="none")

    assert (result.effort, result.stop_reason) == ("none", "complete")
    assert {step.node for step in trace.steps}.isdisjoint({"decompose", "expand", "critique"})
    assert result.ids()


async def test_low_asks_for_one_vote_and_searches_once_more(world: SmallWorld) -> None:
    wanted = FollowUp(text="rye bread", name="bread", why="The plan asks.", facet_id=None)
    hot = Ballot(memory_id="plan", vote="hot", reason="it serves", place=1)

    services = modelled(world, Verdict(ballots=(hot,), follow_ups=(wanted,)))
    result, trace = await ask(services, effort="low", k=3)

    nodes = [step.node for step in trace.steps]
    assert (nodes.count("critique"), nodes.count("retrieve"), nodes.count("expand")) == (1, 2, 0)
    assert result.effort == "low"
    assert result.ids()[0] == "plan"
    assert [query.text for query in trace.queries if query.round == 2] == ["rye bread"]


async def test_low_ends_where_the_critic_asks_for_nothing(world: SmallWorld) -> None:
    result, trace = await ask(modelled(world, votes(hot=["plan"], content=True)), effort="low")

    assert result.rounds == 1
    assert result.stop_reason == "converged"
    assert trace.effort == "low"


@pytest.mark.parametrize(
    ("cued", "planned"), [(False, {"decompose", "expand"}), (True, {"expand"})]
)
async def test_high_plans_and_with_cues_only_what_the_question_implies(
    world: SmallWorld, cued: bool, planned: set[str]
) -> None:
    if cued:
        await give_cues_to_all(world)

    result, trace = await ask(modelled(world, votes(hot=["plan"], content=True)), effort="high")

    assert result.effort == "high"
    assert {step.node for step in trace.steps} & {"decompose", "expand"} == planned
    assert sum(step.node == "dispatch" for step in trace.steps) == 1


@pytest.mark.parametrize(("cued", "effort"), [(False, "high"), (True, "low")])
async def test_the_usual_effort_is_low_where_most_memories_have_cues(
    world: SmallWorld, cued: bool, effort: str
) -> None:
    if cued:
        await give_cues_to_all(world)
    await world.add(stored_for(LETTER, QUESTION), stored_for(FRAME, "when to plane the door"))

    result, _ = await ask(modelled(world, votes(hot=["plan"], content=True)))

    assert result.effort == effort


async def test_without_a_model_the_usual_effort_is_none(world: SmallWorld) -> None:
    result, _ = await ask(world.services())

    assert result.effort == "none"


@pytest.mark.parametrize(("effort", "told"), [("low", "none is configured"), ("much", "one of")])
async def test_an_effort_that_cannot_be_is_refused(
    world: SmallWorld, effort: str, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        await ask(world.services(), effort=effort)
