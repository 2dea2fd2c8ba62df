"""Whatever a model server does, recalls answer in time, within budget, and say what failed."""

from collections import Counter

import pytest
from tests.llm_faults.heartbeat import Heartbeat
from tests.llm_faults.storm import (
    Outcome,
    Storm,
    answered_nodes,
    drawn_bounds,
    failed_nodes,
    storm,
)
from tests.llm_faults.weather import FAULTS, SCHEMAS, WORDS, Seen
from tests.small_world import SmallWorld

from secondhop.nodes.pick import NOT_NEAR

pytestmark = [
    pytest.mark.model,  # prompts are counted with tiktoken's ranks
    pytest.mark.usefixtures("steady_collector"),
]

ALL_WEATHER = {*FAULTS, *WORDS, "refusal", "filtered", "cut off", "good", "slow"}
LATE_S = 0.25
"""How many seconds after its deadline a recall may answer."""


async def test_recalls_in_a_storm_keep_every_promise(world: SmallWorld) -> None:
    services = world.services()

    passed = await storm(services, drawn_bounds(5, seed=7), recalls=40, at_once=16, seed=7)

    await expect_promises(passed, world)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_hundreds_of_recalls_in_a_storm_keep_every_promise(
    world: SmallWorld, seed: int
) -> None:
    services = world.services()

    passed = await storm(services, drawn_bounds(24, seed=seed), recalls=260, at_once=16, seed=seed)

    await expect_promises(passed, world)
    expect_variety(passed)


async def expect_promises(passed: Storm, world: SmallWorld) -> None:
    """Check each outcome. (No recall has raised, or the storm would have.)"""
    stored = set(await world.store.content_hashes())
    for outcome in passed.outcomes:
        seen = passed.seen(outcome)
        expect_in_time(outcome, passed.heart)
        expect_within_budget(outcome, seen)
        expect_named_failures(outcome, seen)
        expect_valid(outcome, stored)


def expect_in_time(outcome: Outcome, heart: Heartbeat) -> None:
    """Assert that a recall was in time, without what the loop spent on others after its deadline.

    If two processors cannot serve all recalls at once, the answers are late by the clock.
    """
    over_s = outcome.ended - outcome.deadline
    assert over_s - heart.late_s(outcome.deadline, outcome.ended) <= LATE_S, outcome.mark


def expect_within_budget(outcome: Outcome, seen: Seen) -> None:
    """Assert that requests and tokens kept to the limits, and that the server saw the same."""
    spent, limits = outcome.result.spent, outcome.limits
    assert seen.requests <= limits.llm_calls
    assert spent.llm_calls <= limits.llm_calls
    assert spent.prompt_tokens <= seen.prompt_tokens
    assert spent.completion_tokens <= seen.completion_tokens
    assert seen.prompt_tokens + seen.completion_tokens <= limits.llm_tokens
    assert spent.model_copy(update={"ms": 0.0}) == outcome.trace.spent.model_copy(
        update={"ms": 0.0}
    )
    if not outcome.cut_short:
        assert spent.llm_calls >= seen.requests  # one may be cancelled on its way to the server


def expect_named_failures(outcome: Outcome, seen: Seen) -> None:
    """Assert that result and trace name each step that the model did not answer."""
    result, trace = outcome.result, outcome.trace
    for step in trace.steps:
        if step.node in SCHEMAS.values() and step.error:
            assert step.error.startswith(step.node)
            assert step.error in result.degraded
            assert step.error in trace.degraded
    assert Counter(answered_nodes(trace)) <= seen.good
    silent = [step for step in trace.steps if step.node in SCHEMAS.values() and not step.error]
    assert all(step.llm_calls or step.note == "no votes" for step in silent)


def expect_valid(outcome: Outcome, stored: set[str]) -> None:
    """Assert that the memories exist, come once, are at most k, and have scores and evidence.

    An answer may be empty only for a stated reason: never drawn, voted down, too weak, or a lost
    search (in this small world the question's own words find only what is below the threshold).
    """
    result, trace = outcome.result, outcome.trace
    ids, missed = result.ids(), [memory.id for memory in result.maybe]
    assert len(set(ids)) == len(ids) <= trace.k == outcome.limits.k
    assert set(ids) | set(missed) <= stored
    assert not set(ids) & set(missed)
    assert trace.returned == ids
    for memory in [*result.memories, *result.maybe]:
        assert 0.0 <= memory.score <= 1.0
        assert all(0.0 <= evidence.score <= 1.0 and evidence.text for evidence in memory.evidence)
    assert all(memory.evidence and memory.facets and memory.why for memory in result.memories)
    judged = any(candidate.votes for candidate in trace.candidates)
    drawn = any(step.node == "diversify" for step in trace.steps)
    lost = any(query.error for query in trace.queries)
    assert result.degraded or not lost
    drops = [drop for candidate in trace.candidates for drop in candidate.drops]
    weak = any(drop.reason == NOT_NEAR for drop in drops)
    assert ids or judged or lost or weak or not drawn


def expect_variety(passed: Storm) -> None:
    """Assert that all happened: every fault, failures and answers of every step, open breakers."""
    fell, failed, answered = Counter[str](), Counter[str](), Counter[str]()
    exact = 0
    for outcome in passed.outcomes:
        seen = passed.seen(outcome)
        fell += seen.faults
        failed += Counter(failed_nodes(outcome.trace))
        answered += Counter(answered_nodes(outcome.trace))
        exact += outcome.result.spent.prompt_tokens == seen.prompt_tokens
    # a busy machine sends fewer requests, so how many fates are drawn varies
    assert len(ALL_WEATHER - fell.keys()) <= 3
    assert set(failed) == set(answered) == set(SCHEMAS.values())
    assert exact > len(passed.outcomes) / 2  # the rest gave up while a reply was on its way
    told = "\n".join(line for outcome in passed.outcomes for line in outcome.result.degraded)
    assert "is not asked again for" in told
    reasons = {outcome.result.stop_reason for outcome in passed.outcomes}
    assert {"deadline", "converged"} <= reasons
