"""What must not leak to a model server, and what must not be believed of one."""

import json
import logging
from functools import partial

import pytest
from tests.models.fault_server import USAGE, FaultServer, body, running, status
from tests.models.on_sockets import Answer, ask

from secondhop.models.failure_messages import excerpt, without_key
from secondhop.models.llm import LLMError, StructuredLLM
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_embedder import OpenAIEmbedder
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig

KEY = "sk-proj-A1b2C3d4E5f6G7h8"


def model_at(server: FaultServer, *, base_url: str = "") -> OpenAILLM:
    connection = OpenAIConnection(
        base_url=base_url or server.base_url, api_key=KEY, max_wait_s=0.01
    )
    return OpenAILLM(OpenAILLMConfig(model=server.model, connection=connection))


async def failure_of(llm: StructuredLLM, *, calls: int = 8) -> str:
    with pytest.raises(LLMError) as failure:
        await ask(llm, calls=calls)
    return str(failure.value)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed_and_the_message_says_where_it_leads(code: int) -> None:
    async with running(FaultServer()) as other, running(FaultServer()) as server:
        place = f"http://me:word@127.0.0.1:{other.port}/v1/chat?key=secret"
        server.otherwise = status(code, Location=place)
        llm = model_at(server)
        told = await failure_of(llm)
        await llm.aclose()
    assert other.asked == []
    assert len(server.asked) == 1
    assert f"HTTP {code}: the server redirects to 127.0.0.1:{other.port}/v1/chat, " in told
    assert "secret" not in told


async def test_an_embedder_follows_no_redirect_either() -> None:
    async with running(FaultServer()) as other, running(FaultServer()) as server:
        server.otherwise = status(307, Location=f"{other.base_url}/embeddings")
        connection = OpenAIConnection(base_url=server.base_url, api_key=KEY)
        embedder = OpenAIEmbedder("m", connection=connection)
        with pytest.raises(Exception, match="redirects to"):
            await embedder.embed_passages(["a private memory"])
        await embedder.aclose()
    assert other.asked == []


async def test_a_password_in_the_address_is_sent_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running(FaultServer()) as server:
        llm = model_at(server, base_url=f"http://me:pass%20word@127.0.0.1:{server.port}/v1")
        with caplog.at_level(logging.DEBUG):
            await ask(llm)
        await llm.aclose()
    assert "authorization: basic bwu6cgfzcyb3b3jk" in server.heads[0].casefold()  # me:pass word
    assert "/v1/chat/completions" in caplog.text
    assert "pass%20word" not in caplog.text
    assert "pass word" not in caplog.text


@pytest.mark.parametrize("code", [401, 429])
@pytest.mark.parametrize(
    "echo", [KEY, KEY[:12], "..." + KEY[-8:], f"{KEY[:9]}********{KEY[-4:]}", f"{KEY[:4]}***"]
)
async def test_no_part_of_the_key_comes_back_in_a_message(code: int, echo: str) -> None:
    async with running(FaultServer(otherwise=status(code, message=f"bad key {echo}!"))) as server:
        llm = model_at(server)
        told = await failure_of(llm, calls=1)
        await llm.aclose()
    assert "bad key " in told
    assert not any(KEY[at : at + 4] in told for at in range(len(KEY) - 3))


@pytest.mark.model
@pytest.mark.parametrize("absurd", [10**30, 10**7])
async def test_a_usage_that_cannot_be_is_replaced_by_our_own_count(absurd: int) -> None:
    told = {"prompt_tokens": absurd, "completion_tokens": absurd}
    details = {"prompt_tokens_details": {"cached_tokens": absurd}}
    choices = [{"message": {"content": '{"text": "fine"}'}}]
    raw = json.dumps({"choices": choices, "usage": {**told, **details}}).encode()
    async with running(FaultServer(script=[body(raw)])) as server:
        llm = model_at(server)
        completion = await ask(llm, tokens=10_000)
        assert (await ask(llm)).usage.prompt_tokens == USAGE["prompt_tokens"]
        await llm.aclose()
    assert completion.parsed == Answer(text="fine")
    assert 10 < completion.usage.prompt_tokens < 200
    assert completion.usage.completion_tokens == 6
    assert completion.usage.cached_tokens <= completion.usage.prompt_tokens


def test_a_key_that_the_cut_goes_through_is_not_shown() -> None:
    for padding in range(150, 210):
        assert KEY[:4] not in excerpt("x" * padding + KEY, partial(without_key, key=KEY))
