"""What only a langchain chat model shows on real sockets; the rest is in `test_llm_faults`."""

import pytest
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import FaultServer, answer, status
from tests.models.on_sockets import Bounds, ask
from tests.models.on_sockets import langchain_served as served

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.llm import LLMError

pytestmark = BY_THE_CLOCK


async def test_errors_of_the_model_itself_do_not_open_the_circuit() -> None:
    async with served(server := FaultServer(), Bounds(breaker=BreakerSettings(failures=1))) as llm:
        server.script = [status(400), status(429), answer("no JSON"), answer("nor here")]
        for _ in range(3):
            with pytest.raises(LLMError):
                await ask(llm, calls=1)
        server.script = []
        assert (await ask(llm)).parsed.text == "fine"
