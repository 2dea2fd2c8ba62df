"""What votes do: which memories are shown, ignored or never return, and what a spark opens."""

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


async def test_the_critic_is_asked_once_a_round_and_sees_each_candidate_once(
    world: SmallWorld,
) -> None:
    critic = ScriptedCritic(votes(MORE, hot=["plan"]), votes(content=True))

    result, _ = await recalled(world, critic)

    assert len(critic.requests) == result.rounds == 2
    for number in (1, 2):
        assert len(critic.read(number)) == len(set(critic.read(number)))


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


async def test_the_critic_reads_no_wording_of_playbooks(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(content=True))

    _, trace = await ask(world.services(critic=critic), effort="low")

    (request,) = critic.requests
    assert any(query.origin == "playbook" for query in trace.queries)
    assert list(request.asked) == []


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


async def test_a_later_vote_overrules_an_earlier_one(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(MORE, warm=["wins"]), votes(cold=["wins"], content=True))

    result, _ = await recalled(world, critic)

    assert "wins" not in result.ids()


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


async def test_a_spark_never_takes_over_the_main_path(world: SmallWorld) -> None:
    plain, _ = await recalled(world, ScriptedCritic(votes(content=True)))

    sparked, _ = await recalled(world, ScriptedCritic(votes(spark=["garden"]), votes(content=True)))

    assert {"plan", "wins", "coaching"} <= set(plain.ids()) & set(sparked.ids())
    assert sparked.memories[0].id == plain.memories[0].id


async def test_new_queries_of_the_critic_open_facets_one_hop_further(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(MORE, hot=["plan"]), votes(content=True))

    _, trace = await recalled(world, critic)

    (opened,) = [facet for facet in trace.facets if facet.name == "tyres"]
    (query,) = [query for query in trace.queries if query.text == MORE.text]
    assert (opened.hop, query.hop, query.round, query.origin) == (3, 3, 2, "evidence")
    found = trace.candidate("car")
    assert found is not None
    assert opened.facet_id in {score.facet_id for score in found.facet_scores}
