"""What only a langchain chat model shows on real sockets; the rest is in `test_llm_faults`."""

import pytest
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import FaultServer, answer, running, status
from tests.models.on_sockets import Bounds, ask
from tests.models.on_sockets import langchain_served as served
from tests.models.socket_chat import socket_chat

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.langchain_llm import LangchainLLM, LangchainLLMConfig
from secondhop.models.llm import LLMError, Usage

pytestmark = BY_THE_CLOCK


async def test_an_error_of_the_server_is_tried_again() -> None:
    async with served(server := FaultServer(script=[status(500), status(500)])) as llm:
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


async def test_a_server_that_is_not_there_is_named_by_the_circuit() -> None:
    async with running(gone := FaultServer()):
        pass
    llm = LangchainLLM(model := socket_chat(gone), config=LangchainLLMConfig(max_wait_s=0.01))
    with pytest.raises(LLMError, match=r"before \(connection refused\)") as failure:
        await ask(llm)
    assert failure.value.usage.calls == 3
    await model.sdk.close()


async def test_errors_of_the_model_itself_do_not_open_the_circuit() -> None:
    async with served(server := FaultServer(), Bounds(breaker=BreakerSettings(failures=1))) as llm:
        server.script = [status(400), status(429), answer("no JSON"), answer("nor here")]
        for _ in range(3):
            with pytest.raises(LLMError):
                await ask(llm, calls=1)
        server.script = []
        assert (await ask(llm)).parsed.text == "fine"
