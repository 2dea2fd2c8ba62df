import socket
import ssl

import pytest
from tests.models.fault_server import FaultServer, body, running, status

from secondhop.errors import ModelError
from secondhop.models.failure_messages import kind_of_failure
from secondhop.models.llm import ChatMessage
from secondhop.models.openai_client import OpenAIClients, OpenAIConnection, explain
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.models.retry_policy import retried
from secondhop.nodes.critics.vote_schema import CritiqueReply

KEY = "sk-SECRET-0123456789"


async def judged(base_url: str, *, model: str = "m", calls: int = 1) -> tuple[list[str], int]:
    """The names of the votes, and how many requests they took."""
    connection = OpenAIConnection(base_url=base_url, api_key=KEY + "\n", max_wait_s=0.01)
    llm = OpenAILLM(OpenAILLMConfig(model=model, connection=connection))
    try:
        completion = await llm.complete(
            [ChatMessage(role="user", content="judge")],
            schema=CritiqueReply,
            max_tokens=50,
            deadline_s=5.0,
            max_calls=calls,
        )
    finally:
        await llm.aclose()
    return [vote.vote for vote in completion.parsed.votes], completion.usage.calls


@pytest.mark.parametrize(
    "raised",
    [
        OverflowError(f"Bearer {KEY}"),
        ValueError(f"Bearer {KEY}"),
        ExceptionGroup(f"Bearer {KEY}", [OverflowError(KEY)]),
        RuntimeError(KEY),
    ],
)
async def test_whatever_the_http_stack_raises_is_a_model_error_without_its_words(
    raised: Exception,
) -> None:
    async def call() -> None:
        raise raised

    with pytest.raises(ModelError, match="asking m failed") as failure:
        await retried(
            call,
            attempts=4,
            longest_wait_s=lambda: 0.01,
            what="asking m",
            explain=lambda error: explain(error, key=KEY),
        )
    assert "SECRET" not in str(failure.value)


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (socket.gaierror(-2, "x"), "the host name is not known"),
        (ssl.SSLCertVerificationError("x"), "the server's certificate is not trusted"),
        (ssl.SSLEOFError("x"), "TLS failed"),
        (ConnectionResetError("x"), "the connection broke"),
        (OSError(113, "x"), "the network cannot reach it"),
        (ExceptionGroup("x", [ConnectionRefusedError("x")]), "connection refused"),
        (ValueError("x"), "ValueError"),
    ],
)
def test_the_kind_of_a_failure_is_that_of_its_cause(cause: Exception, told: str) -> None:
    outer = OSError("All connection attempts failed")
    outer.__cause__ = cause
    assert kind_of_failure(outer) == told


async def test_a_missing_key_is_told_in_one_sentence_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(ModelError) as told:
        OpenAIClients(OpenAIConnection()).current()

    assert str(told.value) == (
        "there is no API key for the OpenAI client; set OPENAI_API_KEY (any word for a local "
        "server), or pass api_key"
    )


async def test_a_servers_words_are_told_without_their_wrapping() -> None:
    refusal = status(401, message="Incorrect API key provided: x.")
    async with running(server := FaultServer(otherwise=refusal)):
        with pytest.raises(ModelError) as told:
            await judged(server.base_url, model=server.model)

    assert str(told.value).endswith("HTTP 401, check the API key: Incorrect API key provided: x")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (b"<html>Welcome</html>", "the reply is not a chat completion"),
        (b'{"object": "list", "choices": []}', "the reply holds no choice"),
    ],
)
async def test_a_reply_that_is_no_answer_of_a_model_is_not_told_as_a_lost_connection(
    reply: bytes, told: str
) -> None:
    async with running(server := FaultServer(otherwise=body(reply))):
        with pytest.raises(ModelError) as failure:
            await judged(server.base_url, model=server.model)

    assert str(failure.value).endswith(
        f"it did not answer in the OpenAI protocol ({told}); check base_url"
    )
