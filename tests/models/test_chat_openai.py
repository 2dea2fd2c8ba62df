"""The chat model that most hosts use, langchain-openai's own class, on real sockets."""

import asyncio
import gc

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import (
    Fault,
    FaultServer,
    answer,
    running,
)
from tests.models.on_sockets import FINE, Answer, ask, usage
from tests.models.on_sockets import langchain_served as served

from secondhop.models.langchain_llm import LangchainLLM
from secondhop.models.llm import Completion, LLMError

pytestmark = BY_THE_CLOCK

KEY = "sk-secret-0123456789"


def chat_openai(server: FaultServer) -> ChatOpenAI:
    return ChatOpenAI(
        model=server.model, base_url=server.base_url, api_key=SecretStr(KEY), max_retries=2
    )


@pytest.mark.parametrize(
    ("reply", "repairs"),
    [
        (answer("sorry, no"), True),
        (answer('{"text": "on and', finish_reason="length"), True),
        (answer('Here: {"text": "fine"}'), False),
        (answer('{"text": "fine"}', finish_reason="length"), False),
    ],
)
async def test_what_its_own_parser_refuses_is_read_by_ours_and_repaired(
    reply: Fault, repairs: bool
) -> None:
    async with served(server := FaultServer(script=[FINE, reply], otherwise=FINE)) as llm:
        await ask(llm)
        second = await ask(llm)
    assert second.parsed == Answer(text="fine")
    assert len(server.asked) - 1 == second.usage.calls == 1 + repairs
    assert second.usage.lost_tokens == 0
    assert set(server.asked_modes()) == {"json_schema"}


async def test_a_reply_that_a_filter_took_is_a_refusal() -> None:
    filtered = answer("{}", finish_reason="content_filter")
    async with served(server := FaultServer(script=[filtered])) as llm:
        with pytest.raises(LLMError, match="declined"):
            await ask(llm)
    assert len(server.asked) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_another_event_loop_finds_stale_connections_and_opens_its_own() -> None:
    server = FaultServer(otherwise=FINE)

    async def asked() -> Completion[Answer]:
        async with running(server):
            model = chat_openai(server)  # all models with this address share their connections
            return await ask(LangchainLLM(model, model_id=f"mine {len(server.asked)}"))

    asyncio.run(asked())
    again = asyncio.run(asked())
    gc.collect()  # connections of a loop that is gone cannot be closed: let the warnings come here

    assert again.parsed == Answer(text="fine")
    assert again.usage == usage(calls=2, answers=1)
    assert server.asked_modes() == ["json_schema", "json_schema"]  # not taken for a refusal
