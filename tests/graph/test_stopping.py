"""Every rule that ends a recall, by its name, and the budgets that no recall exceeds."""

from typing import Any, cast

import pytest
from tests.fakes import ScriptedCritic, ScriptedPlanner, facet, note, paid, plan, votes
from tests.small_world import Answer, SmallWorld, ask, interview_plan, recall_settings

from secondhop.errors import ModelError
from secondhop.nodes.config import Config, RecallLimits
from secondhop.nodes.critics.port import Ballot, FollowUp, Verdict
from secondhop.nodes.state import RecallState
from secondhop.nodes.stopping import settled_rule

SUBJECTS = ("rhubarb pie", "kayak trip", "violin strings", "beehive queen", "chess opening")


def scripted_planner(tokens: int = 0) -> ScriptedPlanner:
    return ScriptedPlanner(decompose=[plan(tokens=tokens)], expand=[interview_plan(tokens=tokens)])


def wants(text: str) -> FollowUp:
    return FollowUp(text=text, facet_id=None, name=text)


def ever_new(rounds: int, *, tokens: int = 0) -> ScriptedCritic:
    """A critic that never settles: in each round another memory is hot, and it asks for another."""
    return ScriptedCritic(
        *(
            Verdict(
                ballots=(Ballot(memory_id=found, vote="hot", reason="new"),),
                follow_ups=(wants(subject),),
                usage=paid(tokens),
            )
            for found, subject in zip(["plan", *SUBJECTS], SUBJECTS[:rounds], strict=False)
        )
    )


@pytest.fixture
async def wide_world(world: SmallWorld) -> SmallWorld:
    """The world with a memory about each subject added."""
    await world.add(*(note(subject, f"Everything about the {subject}.") for subject in SUBJECTS))
    return world


async def run(
    world: SmallWorld, critic: ScriptedCritic, *, tokens: int = 0, **limits: float
) -> Answer:
    """Recall with one memory per query, so that a round finds only what it asks for."""
    settings = recall_settings(ranking={"depth_factor": 1}, **limits)
    planner = scripted_planner(tokens)
    return await ask(world.services(planner=planner, critic=critic, settings=settings), k=1)


async def test_converged_when_the_critic_is_content(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(hot=["plan"], content=True))

    result, trace = await run(world, critic)

    assert (result.stop_reason, result.rounds) == ("converged", 1)
    assert "satisfied" in trace.stop_detail


@pytest.mark.parametrize("failure", [ModelError("503"), TimeoutError(), None])
async def test_no_verdict_when_the_critic_could_not_be_asked(
    world: SmallWorld, failure: Exception | None
) -> None:
    unjudged, _ = await ask(world.services())
    critic = ScriptedCritic(*[failure] if failure else [])
    limits = RecallLimits(llm_calls=8 if failure else 0)

    result, trace = await ask(world.services(critic=critic, settings=Config(limits=limits)))

    assert (result.stop_reason, result.rounds) == ("no_verdict", 1)
    assert trace.stop_detail.endswith("what the search found is the answer")
    assert result.degraded == trace.degraded
    (line,) = result.degraded
    assert line.startswith("critique: ")
    assert not any(candidate.votes for candidate in trace.candidates)
    assert result.ids() == unjudged.ids()


async def test_no_verdict_in_a_later_round_leaves_the_votes_of_the_first(
    wide_world: SmallWorld,
) -> None:
    critic = ScriptedCritic(votes(wants("rhubarb pie"), hot=["plan"]), ModelError("503"))

    result, trace = await run(wide_world, critic)

    assert (result.stop_reason, result.rounds) == ("no_verdict", 2)
    assert "earlier votes stand" in trace.stop_detail


async def test_stable_when_two_rounds_agree_on_what_is_good(wide_world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(wants("rhubarb pie"), hot=["plan"]), votes(hot=["plan"]))

    result, _ = await run(wide_world, critic)

    assert (result.stop_reason, result.rounds) == ("stable", 2)


async def test_no_new_candidates_when_a_round_finds_only_what_was_known(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes(wants("Carefeed"), hot=["plan"]), votes(hot=["wins"]))

    result, _ = await ask(world.services(planner=scripted_planner(), critic=critic))

    assert (result.stop_reason, result.rounds) == ("no_new_candidates", 2)


async def test_no_new_queries_when_nothing_is_left_to_ask(world: SmallWorld) -> None:
    critic = ScriptedCritic(votes())

    result, _ = await run(world, critic)

    assert (result.stop_reason, result.rounds) == ("no_new_queries", 1)


async def test_max_llm_calls_when_the_paid_calls_are_used(wide_world: SmallWorld) -> None:
    critic = ever_new(4, tokens=10)

    result, _ = await run(wide_world, critic, tokens=10, llm_calls=3)

    assert (result.stop_reason, result.spent.llm_calls) == ("max_llm_calls", 3)


async def test_max_tokens_when_the_paid_tokens_are_used(wide_world: SmallWorld) -> None:
    critic = ever_new(4, tokens=100)

    result, _ = await run(wide_world, critic, tokens=100, llm_tokens=300)

    assert (result.stop_reason, result.spent.prompt_tokens) == ("max_tokens", 300)


@pytest.mark.parametrize("rounds", [1, 2, 4])
async def test_no_recall_asks_more_rounds_than_it_may(wide_world: SmallWorld, rounds: int) -> None:
    critic = ever_new(rounds)

    result, trace = await run(wide_world, critic, rounds=rounds)

    assert (result.stop_reason, result.rounds) == ("max_rounds", rounds)
    assert max(query.round for query in trace.queries) == rounds


@pytest.mark.parametrize("limit", [1, 3, 5])
async def test_no_round_asks_more_queries_than_it_may(world: SmallWorld, limit: int) -> None:
    many = plan(*(facet(f"facet {n}", f"words {n}", f"other words {n}") for n in range(6)))
    planner = ScriptedPlanner(decompose=[plan()], expand=[many])
    services = world.services(
        planner=planner,
        critic=ScriptedCritic(votes(content=True)),
        settings=recall_settings(queries=limit),
    )

    result, trace = await ask(services)

    asked = [query for query in trace.queries if query.round == 1]
    assert len(asked) == result.spent.queries == limit
    assert asked[0].origin == "question"


@pytest.mark.parametrize(("judged", "rule"), [(True, "stable"), (False, "")])
def test_two_rounds_agree_only_if_the_critic_was_asked_in_both(judged: bool, rule: str) -> None:
    state: dict[str, Any] = {"round": 2, "candidates": {"a": {}, "b": {}}, "seen": ["a"]}
    state["votes"] = {"a|1": {"memory_id": "a", "vote": "hot", "by": "critic", "round": 1}}

    settled = settled_rule(cast(RecallState, state), judged=judged)

    assert (settled or ("",))[0] == rule
