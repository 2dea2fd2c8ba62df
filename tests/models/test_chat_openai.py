"""The chat model that most hosts have, langchain-openai's own class, on real sockets."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import (
    NO_CHOICE,
    PASSING,
    REFUSAL,
    UNENDING,
    Fault,
    FaultServer,
    answer,
    body,
    running,
    status,
)
from tests.models.on_sockets import (
    FINE,
    QUESTION,
    USUAL,
    Answer,
    Bounds,
    ask,
    langchain_config,
    usage,
)

from secondhop.models.langchain_llm import LangchainLLM
from secondhop.models.llm import Completion, LLMError

pytestmark = BY_THE_CLOCK

KEY = "sk-secret-0123456789"


def chat_openai(server: FaultServer) -> ChatOpenAI:
    return ChatOpenAI(
        model=server.model, base_url=server.base_url, api_key=SecretStr(KEY), max_retries=2
    )


@asynccontextmanager
async def served(server: FaultServer, bounds: Bounds = USUAL) -> AsyncGenerator[LangchainLLM]:
    async with running(server):
        model = chat_openai(server)
        try:
            yield LangchainLLM(model, config=langchain_config(bounds))
        finally:
            await model.root_async_client.close()


async def test_it_answers_by_its_own_structured_output() -> None:
    async with served(server := FaultServer(otherwise=FINE)) as llm:
        completion = await ask(llm, question=f"{QUESTION} \ud83d")
    assert completion.parsed == Answer(text="fine")
    assert completion.usage == usage(calls=1, answers=1)
    assert server.asked[0]["messages"][-1]["content"] == f"{QUESTION} ?"
    assert server.asked_modes() == ["json_schema"]
    assert server.asked[0]["max_completion_tokens"] == 50
    assert llm.model_id == f"langchain:ChatOpenAI:{server.model}"


@pytest.mark.parametrize("fault", [*PASSING, status(500)])
async def test_every_try_is_ours_and_counted(fault: Fault) -> None:
    async with served(server := FaultServer(script=[fault, fault], otherwise=FINE)) as llm:
        completion = await ask(llm)
    assert completion.parsed == Answer(text="fine")
    assert len(server.asked) == completion.usage.calls == 3  # its own retries would have hidden two


@pytest.mark.parametrize("code", [400, 401, 403, 404])
async def test_what_no_second_try_would_cure_fails_without_the_key(code: int) -> None:
    refused = status(code, message=f"bad key {KEY}")
    async with served(FaultServer(otherwise=refused)) as llm:
        with pytest.raises(LLMError, match=str(code)) as failure:
            await ask(llm)
    assert KEY not in str(failure.value)
    assert QUESTION not in str(failure.value)


@pytest.mark.parametrize("said", [REFUSAL, NO_CHOICE, body(b"<html>"), answer("prose")])
async def test_what_is_no_answer_is_an_error_of_ours(said: Fault) -> None:
    async with served(FaultServer(otherwise=said)) as llm:
        with pytest.raises(LLMError) as failure:
            await ask(llm)
    assert 1 <= failure.value.usage.calls <= 8


@pytest.mark.parametrize("fault", UNENDING)
async def test_no_fault_outlives_the_deadline(fault: Fault) -> None:
    async with served(FaultServer(otherwise=fault)) as llm:
        with pytest.raises(LLMError):
            await ask(llm, deadline_s=0.4)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_another_event_loop_finds_stale_connections_and_opens_its_own() -> None:
    server = FaultServer(otherwise=FINE)

    async def asked() -> Completion[Answer]:
        async with running(server):
            model = chat_openai(server)  # every one of this address shares its connections
            return await ask(LangchainLLM(model, model_id=f"mine {len(server.asked)}"))

    asyncio.run(asked())
    again = asyncio.run(asked())
    gc.collect()  # nobody can close the connections of a loop that is gone: the warnings come here

    assert again.parsed == Answer(text="fine")
    assert again.usage == usage(calls=2, answers=1)
    assert server.asked_modes() == ["json_schema", "json_schema"]  # not taken for a refusal
