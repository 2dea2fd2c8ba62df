"""What a recall may spend on a model, counted by a server that misbehaves."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.models.fault_server import (
    USAGE,
    Exchange,
    Fault,
    FaultServer,
    answer,
    hang,
    reset,
    running,
    status,
)
from tests.small_world import Answer, SmallWorld, ask, recall_settings

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.models.prices import TokenPrice
from secondhop.nodes.llm_services import llm_services

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks

PLANS: dict[str, object] = {
    "DecomposeReply": {"kind": "conceptual", "rewordings": ["Carefeed before the interview"]},
    "ExpandReply": {
        "intent": "win the job",
        "facets": [{"name": "own plan", "queries": ["my plan for the first year"]}],
    },
}
PRICE = TokenPrice(input=2.0, cached_input=1.0, output=10.0)

FAULTS = {
    "429": status(429),
    "500": status(500),
    "wrong JSON": answer('{"nothing": 1}'),
    "no JSON": answer("I would rather talk about it."),
    "reset": reset,
    "votes for nobody": answer('{"votes": [], "go_on": true}'),
}


def schema_of(exchange: Exchange) -> str:
    """The schema that a request asks for, in whichever way; "" if none."""
    told = json.dumps(exchange.asked)
    (name,) = [name for name in (*PLANS, "CritiqueReply") if name in told] or [""]
    return name


def failing(fault: Fault, *, plans: bool) -> Fault:
    """A server with this fault for the critic, and also for the planner unless `plans`."""

    async def play(exchange: Exchange) -> None:
        planned = PLANS.get(schema_of(exchange)) if plans else None
        await (answer(json.dumps(planned)) if planned else fault)(exchange)

    return play


@asynccontextmanager
async def model_at(server: FaultServer, *, timeout_s: float = 5.0) -> AsyncGenerator[OpenAILLM]:
    """A model at that server, whose circuit breaker never opens."""
    async with running(server):
        connection = OpenAIConnection(
            base_url=server.base_url, api_key="k", max_wait_s=0.01, timeout_s=timeout_s
        )
        breaker = BreakerSettings(failures=10_000, patience_s=10_000.0)
        llm = OpenAILLM(OpenAILLMConfig(model=server.model, connection=connection, breaker=breaker))
        try:
            yield llm
        finally:
            await llm.aclose()


async def recalled(world: SmallWorld, server: FaultServer, **limits: Any) -> Answer:
    """The answer of a recall that plans and judges with the model of that server."""
    async with model_at(server) as llm:
        planner, critic = llm_services(llm)
        return await ask(
            world.services(
                planner=planner, critic=critic, price=PRICE, settings=recall_settings(**limits)
            )
        )


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("calls", [5])
async def test_under_a_failing_critic_no_request_is_sent_beyond_the_limit(
    world: SmallWorld, fault: str, calls: int
) -> None:
    server = FaultServer(otherwise=failing(FAULTS[fault], plans=True))

    result, trace = await recalled(world, server, llm_calls=calls)

    assert 3 <= len(server.asked) <= calls
    assert len(server.asked) == result.spent.llm_calls == trace.spent.llm_calls
    assert len(server.asked) == sum(step.llm_calls for step in trace.steps)
    assert any(line.startswith("critique") for line in result.degraded)
    assert result.ids()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("calls", [1, 4])
async def test_when_everything_fails_no_request_is_sent_beyond_the_limit(
    world: SmallWorld, fault: str, calls: int
) -> None:
    server = FaultServer(otherwise=failing(FAULTS[fault], plans=False))

    result, _ = await recalled(world, server, llm_calls=calls)

    assert 1 <= len(server.asked) == result.spent.llm_calls <= calls
    assert result.ids()


async def test_what_failed_is_in_the_bill(world: SmallWorld) -> None:
    server = FaultServer(otherwise=failing(FAULTS["no JSON"], plans=True))

    result, trace = await recalled(world, server, llm_calls=4)

    spent = result.spent
    assert spent.llm_calls == 4  # two plans, an invalid verdict, and its repair
    assert (spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens) == (40, 20, 16)
    assert spent.cost_usd == pytest.approx((24 * 2.0 + 16 * 1.0 + 20 * 10.0) / 1_000_000)
    assert trace.spent.model_copy(update={"ms": spent.ms}) == spent
    critiques = [step for step in trace.steps if step.node == "critique" and step.llm_calls]
    assert [(step.llm_calls, step.cached_tokens) for step in critiques] == [(2, 8)]


async def test_a_planner_that_fails_is_in_the_bill(world: SmallWorld) -> None:
    server = FaultServer(otherwise=FAULTS["wrong JSON"])

    result, trace = await recalled(world, server, llm_calls=3)

    planning = [step for step in trace.steps if step.node in {"decompose", "expand"}]
    assert sorted(step.llm_calls for step in planning) == [1, 2]
    assert all(step.error for step in planning)
    assert result.spent.prompt_tokens == 10 * len(server.asked) == 30


async def test_a_planner_that_hangs_tells_its_calls_before_its_time_is_over(
    world: SmallWorld,
) -> None:
    server = FaultServer(otherwise=hang)

    result, _ = await recalled(world, server, llm_calls=2, deadline_s=2.5)

    assert len(server.asked) == result.spent.llm_calls == 2
    assert any("critique: no model call is left" in line for line in result.degraded)


@pytest.mark.parametrize("tokens", [1_500, 4_000, 9_000])
async def test_the_tokens_of_the_limit_hold_when_every_answer_is_as_long_as_it_may_be(
    world: SmallWorld, tokens: int
) -> None:
    charged: list[int] = []

    async def as_long_as_allowed(exchange: Exchange) -> None:
        prompt = sum(len(told["content"]) for told in exchange.asked["messages"]) // 4
        usage = {**USAGE, "prompt_tokens": prompt}
        usage["completion_tokens"] = exchange.asked["max_tokens"]
        charged.append(prompt + exchange.asked["max_tokens"])
        choice = {"message": {"content": "no"}, "finish_reason": "length"}
        await exchange.send(200, json.dumps({"choices": [choice], "usage": usage}).encode())

    server = FaultServer(otherwise=as_long_as_allowed)

    result, _ = await recalled(world, server, llm_tokens=tokens, llm_calls=50)

    spent = result.spent
    assert spent.prompt_tokens + spent.completion_tokens == sum(charged) <= tokens
    assert len(charged) == spent.llm_calls


async def test_without_a_model_nothing_is_spent_and_without_a_price_nobody_knows(
    world: SmallWorld,
) -> None:
    offline, _ = await ask(world.services())
    assert (offline.spent.llm_calls, offline.spent.cost_usd) == (0, 0.0)

    server = FaultServer(otherwise=failing(FAULTS["429"], plans=True))
    async with model_at(server) as llm:
        planner, critic = llm_services(llm)
        unpriced, trace = await ask(world.services(planner=planner, critic=critic))
    assert unpriced.spent.llm_calls > 0
    assert unpriced.spent.cost_usd is None
    assert trace.spent.cost_usd is None
