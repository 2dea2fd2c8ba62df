"""A langchain chat model on real sockets, through every fault that its server can have."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from pydantic import BaseModel
from tests.models.fault_server import (
    HUGE_ERROR,
    Fault,
    FaultServer,
    answer,
    body,
    drip,
    half,
    hang,
    reset,
    running,
    slow,
    status,
)
from tests.models.socket_chat import socket_chat

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.langchain_endpoint import LangchainLLMConfig
from secondhop.models.langchain_llm import LangchainLLM
from secondhop.models.llm import ChatMessage, Completion, LLMError, Usage

pytestmark = [  # by the clock: nothing runs beside them
    pytest.mark.slow,
    pytest.mark.usefixtures("steady_collector"),
]

PATIENT = BreakerSettings(failures=10_000, patience_s=10_000.0)
GRACE_S = 0.25
FINE = answer('{"text": "fine"}')


class Answer(BaseModel):
    text: str


@asynccontextmanager
async def served(
    server: FaultServer,
    *,
    timeout_s: float = 5.0,
    breaker: BreakerSettings = PATIENT,
    concurrency: int = 256,
    max_wait_s: float = 0.02,
) -> AsyncGenerator[LangchainLLM]:
    async with running(server):
        model = socket_chat(server)
        config = LangchainLLMConfig(
            timeout_s=timeout_s, max_wait_s=max_wait_s, breaker=breaker, concurrency=concurrency
        )
        try:
            yield LangchainLLM(model, config=config)
        finally:
            await model.sdk.close()


async def ask(llm: LangchainLLM, *, deadline_s: float = 5.0, calls: int = 8) -> Completion[Answer]:
    started = time.perf_counter()
    try:
        return await llm.complete(
            [ChatMessage(role="user", content="a private question")],
            schema=Answer,
            max_tokens=50,
            deadline_s=deadline_s,
            max_calls=calls,
        )
    finally:
        assert time.perf_counter() - started < deadline_s + GRACE_S


@pytest.mark.parametrize(
    "fault",
    [status(429), status(429, Retry_After="0"), status(408), status(500), status(503), half, reset],
)
async def test_what_passes_is_tried_again_and_every_request_is_counted(fault: Fault) -> None:
    async with served(server := FaultServer(script=[fault, fault], otherwise=FINE)) as llm:
        completion = await ask(llm)
    assert completion.parsed.text == "fine"
    assert completion.usage == Usage(calls=3, prompt_tokens=10, completion_tokens=5)
    assert len(server.asked) == 3  # its own retries would have hidden two


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
async def test_what_no_second_try_would_cure_fails_at_once(code: int) -> None:
    async with served(server := FaultServer(otherwise=status(code))) as llm:
        with pytest.raises(LLMError, match=str(code)) as failure:
            await ask(llm)
    assert len(server.asked) == failure.value.usage.calls == 1
    assert failure.value.usage.lost_tokens == 0
    assert "secret-key" not in str(failure.value)
    assert "private" not in str(failure.value)


async def test_retry_after_is_waited_for_and_never_beyond_the_deadline() -> None:
    server = FaultServer(script=[status(429, Retry_After="1")], otherwise=FINE)
    async with served(server, max_wait_s=20.0) as llm:
        started = time.perf_counter()
        await ask(llm)
        assert 1.0 <= time.perf_counter() - started < 2.0
        server.script = [status(429, Retry_After="4")]
        started = time.perf_counter()
        with pytest.raises(LLMError, match="asks to wait 4 s") as failure:
            await ask(llm, deadline_s=2.0)
        assert time.perf_counter() - started < 0.5
        assert failure.value.usage == Usage(calls=1)


async def test_a_storm_ends_after_the_tries_that_were_allowed() -> None:
    async with served(server := FaultServer(otherwise=status(429))) as llm:
        with pytest.raises(LLMError, match="after 4 tries"):
            await ask(llm)
        assert len(server.asked) == 4
        with pytest.raises(LLMError, match="after 2 tries"):
            await ask(llm, calls=2)
    assert len(server.asked) == 6


@pytest.mark.parametrize("fault", [hang, drip, slow(5.0, FINE), HUGE_ERROR, body(b"<html>")])
async def test_no_fault_outlives_the_deadline(fault: Fault) -> None:
    async with served(FaultServer(otherwise=fault)) as llm:
        with pytest.raises(LLMError) as failure:
            await ask(llm, deadline_s=0.4)
    assert failure.value.usage.calls >= 1


async def test_a_try_that_times_out_is_followed_by_another() -> None:
    async with served(FaultServer(script=[hang, drip]), timeout_s=0.2) as llm:
        assert (await ask(llm)).usage.calls == 3


async def test_a_dead_endpoint_costs_one_wait_and_is_found_again_when_it_is_back() -> None:
    breaker = BreakerSettings(failures=5, patience_s=0.2, cooldown_s=0.3)
    async with served(
        server := FaultServer(otherwise=hang), timeout_s=0.25, breaker=breaker
    ) as llm:
        with pytest.raises(LLMError):
            await ask(llm, deadline_s=0.6)
        assert len(server.asked) == 1
        started = time.perf_counter()
        for _ in range(20):
            with pytest.raises(LLMError, match=r"\(no answer in time\); it is left alone"):
                await ask(llm)
        assert time.perf_counter() - started < 0.2
        server.otherwise = FINE
        await asyncio.sleep(0.35)
        assert (await ask(llm)).parsed.text == "fine"


async def test_a_server_that_is_not_there_is_named_by_the_circuit() -> None:
    async with running(gone := FaultServer()):
        pass
    llm = LangchainLLM(model := socket_chat(gone), config=LangchainLLMConfig(max_wait_s=0.01))
    with pytest.raises(LLMError, match=r"before \(connection refused\)") as failure:
        await ask(llm)
    assert failure.value.usage.calls == 3
    await model.sdk.close()


async def test_errors_of_the_model_itself_do_not_open_the_circuit() -> None:
    async with served(server := FaultServer(), breaker=BreakerSettings(failures=1)) as llm:
        server.script = [status(400), status(429), answer("no JSON"), answer("nor here")]
        for _ in range(3):
            with pytest.raises(LLMError):
                await ask(llm, calls=1)
        server.script = []
        assert (await ask(llm)).parsed.text == "fine"


async def test_cancelling_closes_the_connection_and_frees_the_place() -> None:
    server = FaultServer(script=[hang])
    async with served(server, concurrency=1) as llm:
        task = asyncio.create_task(ask(llm))
        await server.reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as gone:
            await task
        async with asyncio.timeout(1.0):
            await server.deserted.wait()
        assert gone.value.args[0].calls == 1
        assert (await ask(llm)).usage.calls == 1


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    server = FaultServer(otherwise=slow(0.03, FINE))
    async with served(server, concurrency=3) as llm:
        await asyncio.gather(*(ask(llm) for _ in range(12)))
    assert server.most_at_once == 3
