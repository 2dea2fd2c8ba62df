"""What votes do: who is seen, who is ignored, who never comes back, and what a spark opens."""

import pytest
from tests.fakes import ScriptedCritic, ScriptedPlanner, as_vote_name, plan, votes
from tests.small_world import QUESTION, Answer, SmallWorld, ask, interview_plan

from secondhop.nodes.critics.port import Ballot, FollowUp, Verdict

MORE = FollowUp(text="winter tyres in the cellar", facet_id=None, name="tyres", why="Named.")


async def recalled(world: SmallWorld, critic: ScriptedCritic) -> Answer:
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    return await ask(world.services(planner=planner, critic=critic))


def ballot(memory_id: str, vote: str, *facet_ids: str) -> Ballot:
    return Ballot(
        memory_id=memory_id, vote=as_vote_name(vote), reason="scripted", facet_ids=facet_ids
    )


async def test_the_critic_reads_the_question_the_facets_and_what_was_asked(
    world: SmallWorld,
) -> None:
    critic = ScriptedCritic(votes(content=True))

    await recalled(world, critic)

    (request,) = critic.requests
    assert request.question == QUESTION
    assert {facet["name"] for facet in request.facets} == {
        "the question itself",
        "own plan",
        "achievements",
        "coaching",
    }
    assert len(request.asked) == 3
    views = {view.memory_id: view for view in request.candidates}
    assert views["research-1"].repeats == "research-2"
    assert views["plan"].repeats == ""


@pytest.mark.parametrize("vote", ["cold", "wrong"])
async def test_nothing_voted_out_comes_back_in_later_rounds(world: SmallWorld, vote: str) -> None:
    out = "plan"
    again = FollowUp(text="my plan for the first year in the new role", facet_id="e1")
    critic = ScriptedCritic(
        Verdict(ballots=(ballot(out, vote), ballot("wins", "hot", "e2")), follow_ups=(again, MORE)),
        votes(content=True),
    )

    result, trace = await recalled(world, critic)

    assert result.rounds == 2
    assert out not in result.ids()
    assert out not in critic.read(2)
    told = trace.candidate(out)
    assert told is not None
    assert [drop.stage for drop in told.drops if drop.reason.startswith(f"voted {vote}")] == [
        "critique",
        "critique",
    ]


async def test_a_spark_opens_a_facet_of_its_own_and_stays_out_itself(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(hot=["plan"], spark=["garden"]), votes(content=True))

    result, trace = await recalled(world, critic)

    (branch,) = [facet for facet in trace.facets if facet.facet_id.startswith("s")]
    main = [facet for facet in trace.facets if not facet.facet_id.startswith("s")]
    (query,) = [query for query in trace.queries if query.origin == "spark"]
    assert branch.hop > max(facet.hop for facet in main if facet.hop <= 2) - 1
    assert branch.weight < min(facet.weight for facet in main)
    assert query.facet_id == branch.facet_id
    assert query.text == f"About garden: {QUESTION}"
    assert "garden" not in result.ids()
