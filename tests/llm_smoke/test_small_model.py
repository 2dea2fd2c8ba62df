"""The ordinary adapter and whole recalls, against a real and very small model.

Its JSON is good because the server constrains it, but its judgement is not. So these tests check
only what a recall promises with any model.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager

import pytest
from pydantic import BaseModel
from tests.small_world import QUESTION, Answer, SmallWorld, ask, recall_settings

from secondhop.models.llm import ChatMessage
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.planning.schema import DecomposeReply

pytestmark = pytest.mark.llm

LATE_S = 1.0
"""How late a recall may answer, in seconds, on a machine that the model keeps busy."""

LIMITS = RecallLimits(rounds=2, deadline_s=240.0)

QUESTIONS = (
    QUESTION,
    "When does the dentist want to see me?",
    "How do I bake my sourdough bread?",
    "Plan my week",
)


class RepeatableLLM(OpenAILLM):
    """Gets the same prompts every time, like a model whose answers are cached."""

    tag_secret = b"the same prompts every time"

    async def forget(self, messages: Sequence[ChatMessage], *, schema: type[BaseModel]) -> None:
        """Nothing is cached."""


@asynccontextmanager
async def adapter(base_url: str) -> AsyncGenerator[OpenAILLM]:
    """The adapter, with one request at a time because the server has one slot."""
    timeout_s = LIMITS.deadline_s
    connection = OpenAIConnection(base_url=base_url, api_key="none", timeout_s=timeout_s)
    config = OpenAILLMConfig(model="small", connection=connection, temperature=0, concurrency=1)
    async with aclosing(RepeatableLLM(config)) as llm:
        yield llm


async def test_the_adapter_finds_out_what_the_server_can(small_model: str) -> None:
    asked = f"What kind of question is this? Give other words for it. {QUESTION}"
    async with adapter(small_model) as llm:
        reply = await llm.complete(
            [ChatMessage(role="user", content=asked)],
            schema=DecomposeReply,
            max_tokens=400,
            deadline_s=120.0,
            max_calls=8,
        )
    assert 1 <= reply.usage.calls <= 8  # the server answers json_schema with HTTP 500


@pytest.mark.parametrize("question", QUESTIONS)
async def test_recalls_with_a_small_model_answer_within_their_bounds(
    question: str, small_model: str, world: SmallWorld
) -> None:
    stored = set(await world.store.content_hashes())
    async with adapter(small_model) as llm:
        planner, critic = llm_services(llm)
        settings = recall_settings(rounds=LIMITS.rounds, deadline_s=LIMITS.deadline_s)
        services = world.services(planner=planner, critic=critic, settings=settings)
        answer = await ask(services, question)

    expect_bounds(answer)
    expect_valid(answer, stored)


def expect_bounds(answer: Answer) -> None:
    """Assert that requests, tokens, time and rounds kept to the limits."""
    spent = answer.result.spent
    assert spent.llm_calls <= LIMITS.llm_calls
    assert spent.prompt_tokens + spent.completion_tokens <= LIMITS.llm_tokens
    assert spent.ms / 1_000 <= LIMITS.deadline_s + LATE_S
    assert spent.rounds <= LIMITS.rounds


def expect_valid(answer: Answer, stored: set[str]) -> None:
    """Assert that the memories exist, come once, are at most k, and that every failure is named."""
    result, trace = answer.result, answer.trace
    ids = result.ids()
    assert len(set(ids)) == len(ids) <= LIMITS.k
    assert set(ids) <= stored
    assert trace.returned == ids
    assert all(step.error in result.degraded for step in trace.steps if step.error)
    assert all(memory.evidence and memory.facets and memory.why for memory in result.memories)
