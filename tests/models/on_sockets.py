"""Our adapters of language models, each with a server that misbehaves on request."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import BaseModel, SecretStr
from tests.models.fault_server import FaultServer, answer, running

from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.langchain_llm import LangchainLLM, LangchainLLMConfig
from secondhop.models.llm import ChatMessage, Completion, StructuredLLM, Usage
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig

QUESTION = "a private question"
FINE = answer('{"text": "fine"}')
GRACE_S = 1.0
PATIENT = BreakerSettings(failures=10_000, patience_s=10_000.0)


class Answer(BaseModel):
    text: str


def usage(calls: int, answers: int) -> Usage:
    """The usage of `calls` requests of which `answers` were answered."""
    return Usage(
        calls=calls,
        prompt_tokens=10 * answers,
        completion_tokens=5 * answers,
        cached_tokens=4 * answers,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long an adapter waits, and for how many requests at once."""

    timeout_s: float = 5.0
    max_wait_s: float = 0.02
    breaker: BreakerSettings = PATIENT
    concurrency: int = 256


USUAL = Bounds()


@asynccontextmanager
async def openai_served(server: FaultServer, bounds: Bounds = USUAL) -> AsyncGenerator[OpenAILLM]:
    """The adapter of the OpenAI protocol, while the server runs."""
    async with running(server):
        connection = OpenAIConnection(
            base_url=server.base_url,
            api_key="secret-key",
            timeout_s=bounds.timeout_s,
            max_wait_s=bounds.max_wait_s,
        )
        config = OpenAILLMConfig(
            model=server.model,
            connection=connection,
            breaker=bounds.breaker,
            concurrency=bounds.concurrency,
        )
        llm = OpenAILLM(config)
        try:
            yield llm
        finally:
            await llm.aclose()


@asynccontextmanager
async def langchain_served(
    server: FaultServer, bounds: Bounds = USUAL
) -> AsyncGenerator[LangchainLLM]:
    """The adapter of langchain's chat models, with the model class that most hosts use."""
    async with running(server):
        model = ChatOpenAI(
            model=server.model,
            base_url=server.base_url,
            api_key=SecretStr("secret-key"),
            http_async_client=DefaultAsyncHttpxClient(),  # langchain shares its own by address
        )
        config = LangchainLLMConfig(
            timeout_s=bounds.timeout_s,
            max_wait_s=bounds.max_wait_s,
            breaker=bounds.breaker,
            concurrency=bounds.concurrency,
        )
        try:
            yield LangchainLLM(model, config=config)
        finally:
            await model.root_async_client.close()


async def ask(
    llm: StructuredLLM,
    *,
    question: str = QUESTION,
    deadline_s: float = 5.0,
    calls: int = 8,
    tokens: int | None = None,
) -> Completion[Answer]:
    """Ask for one answer, and assert that the call ends in time even if it fails."""
    started = time.perf_counter()
    try:
        return await llm.complete(
            [ChatMessage(role="user", content=question)],
            schema=Answer,
            max_tokens=50,
            deadline_s=deadline_s,
            max_calls=calls,
            max_total_tokens=tokens,
        )
    finally:
        assert time.perf_counter() - started < deadline_s + GRACE_S
