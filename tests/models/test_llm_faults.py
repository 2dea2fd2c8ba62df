"""Each adapter of a language model on real sockets, with the faults that any server can have."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias, cast

import pytest
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import (
    PASSING,
    UNENDING,
    Fault,
    FaultServer,
    answer,
    body,
    drip,
    hang,
    slow,
    status,
)
from tests.models.on_sockets import FINE, Bounds, ask, langchain_served, openai_served, usage

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.llm import LLMError, StructuredLLM, Usage

pytestmark = BY_THE_CLOCK


Adapter: TypeAlias = Callable[[FaultServer, Bounds], AbstractAsyncContextManager[StructuredLLM]]


@pytest.fixture(params=[openai_served, langchain_served], ids=["openai", "langchain"])
def served(request: pytest.FixtureRequest) -> Adapter:
    return cast(Adapter, request.param)


@pytest.mark.parametrize("fault", [*PASSING, status(429, Retry_After="0"), status(503)])
async def test_what_passes_is_tried_again_and_every_request_is_counted(
    served: Adapter, fault: Fault
) -> None:
    server = FaultServer(script=[fault, fault])
    async with served(server, Bounds()) as llm:
        completion = await ask(llm)
    assert completion.parsed.text == "fine"
    assert completion.usage == usage(3, 1)
    assert len(server.asked) == 3  # an SDK's own retries would have hidden two


async def test_retry_after_is_waited_for_and_never_beyond_the_deadline(served: Adapter) -> None:
    server = FaultServer(script=[status(429, Retry_After="1")])
    async with served(server, Bounds(max_wait_s=20.0)) as llm:
        started = time.perf_counter()
        await ask(llm)
        assert 1.0 <= time.perf_counter() - started < 2.0
        server.script = [status(429, Retry_After="4")]
        started = time.perf_counter()
        with pytest.raises(LLMError, match="asks to wait 4 s") as failure:
            await ask(llm, deadline_s=2.0)
        assert time.perf_counter() - started < 0.5
        assert failure.value.usage == usage(1, 0)


async def test_a_storm_ends_after_the_tries_that_were_allowed(served: Adapter) -> None:
    server = FaultServer(otherwise=status(429))
    async with served(server, Bounds()) as llm:
        with pytest.raises(LLMError, match="after 4 tries") as failure:
            await ask(llm)
        assert len(server.asked) == failure.value.usage.calls == 4
        with pytest.raises(LLMError, match="after 2 tries"):
            await ask(llm, calls=2)
    assert len(server.asked) == 6


@pytest.mark.parametrize("fault", [*UNENDING, slow(5.0, FINE), body(b"<html>")])
async def test_no_fault_outlives_the_deadline(served: Adapter, fault: Fault) -> None:
    async with served(FaultServer(otherwise=fault), Bounds()) as llm:
        with pytest.raises(LLMError) as failure:
            await ask(llm, deadline_s=0.4)
    assert failure.value.usage.calls >= 1


async def test_a_try_that_times_out_is_followed_by_another(served: Adapter) -> None:
    server = FaultServer(script=[hang, drip])
    async with served(server, Bounds(timeout_s=0.2)) as llm:
        assert (await ask(llm)).usage == usage(3, 1)


async def test_a_dead_endpoint_costs_one_wait_and_is_found_again_when_it_is_back(
    served: Adapter,
) -> None:
    breaker = BreakerSettings(failures=5, patience_s=0.4, cooldown_s=1.0)
    server = FaultServer(otherwise=hang)
    async with served(server, Bounds(timeout_s=0.5, breaker=breaker)) as llm:
        with pytest.raises(LLMError):
            await ask(llm, deadline_s=0.9)
        assert len(server.asked) == 1
        for _ in range(20):
            with pytest.raises(
                LLMError, match=r"\(no answer in time\) and is not asked again"
            ) as left:
                await ask(llm)
            assert left.value.usage == Usage()
        assert len(server.asked) == 1
        server.otherwise = answer('{"text": "back"}')
        await asyncio.sleep(1.05)
        assert (await ask(llm)).parsed.text == "back"
        assert (await ask(llm)).parsed.text == "back"


async def test_cancelling_closes_the_connection_and_frees_the_place(served: Adapter) -> None:
    server = FaultServer(script=[hang])
    async with served(server, Bounds(concurrency=1)) as llm:
        task = asyncio.create_task(ask(llm))
        await server.reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as gone:
            await task
        async with asyncio.timeout(1.0):
            await server.deserted.wait()
        assert gone.value.args[0].calls == 1
        assert (await ask(llm)).usage == usage(1, 1)


async def test_no_more_requests_are_under_way_than_allowed(served: Adapter) -> None:
    server = FaultServer(otherwise=slow(0.03, FINE))
    async with served(server, Bounds(concurrency=3)) as llm:
        await asyncio.gather(*(ask(llm) for _ in range(12)))
    assert server.most_at_once == 3
