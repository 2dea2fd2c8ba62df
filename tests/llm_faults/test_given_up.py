"""Calls cancelled from outside: nothing is left behind, and what they spent is reported."""

import asyncio

import pytest
from pydantic import BaseModel
from tests.models.fault_server import FaultServer, hang, running

from secondhop.models.llm import LLMError, StructuredLLM, Usage
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.budget import (
    Remaining,
    counts_of,
    remaining,
    usage_of_failure,
)
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.llm_call import LEAST_SECONDS, ModelCall, asked_model
from secondhop.nodes.state import RecallState
from secondhop.prompts.templates import RenderedPrompt


class Text(BaseModel):
    text: str


async def asked(llm: StructuredLLM, *, seconds: float) -> None:
    """Ask one question with this many seconds left."""
    call = ModelCall(
        prompt=RenderedPrompt(system="Answer.", user="How?"),
        reply_tokens=300,
        left=Remaining(rounds=1, llm_calls=4, llm_tokens=9_000, seconds=seconds),
    )
    await asked_model(llm, call, schema=Text, read=lambda said: said)


async def test_a_step_that_runs_out_of_time_still_hears_what_its_model_spent() -> None:
    async with running(FaultServer(otherwise=hang)) as server:
        llm = model_at(server)
        patience = asyncio.timeout(None)

        async def run_out() -> None:
            await server.reached.wait()
            patience.reschedule(0.0)

        waiting = asyncio.create_task(run_out())
        with pytest.raises(TimeoutError) as late:
            async with patience:
                await asked(llm, seconds=60.0)
        await waiting
        await llm.aclose()

    spent = usage_of_failure(late.value)
    assert spent.calls == len(server.asked) == 1
    assert spent.tokens == 0 < 300 <= spent.lost_tokens  # the reply may have been written


async def test_tokens_of_a_lost_reply_are_gone_for_the_rest_of_the_recall() -> None:
    spent = counts_of(Usage(calls=1, prompt_tokens=50, lost_tokens=700))
    state: RecallState = {"deadline_at": 0.0, "spent": spent}

    left = remaining(state, RecallLimits(llm_tokens=1_000))

    assert left.llm_tokens == 250
    assert sum(spent[name] for name in ("prompt_tokens", "completion_tokens", "lost_tokens")) == 750


async def test_no_request_is_sent_that_nobody_can_wait_for() -> None:
    async with running(FaultServer()) as server:
        llm = model_at(server)
        with pytest.raises(LLMError, match="too little to ask a model"):
            await asked(llm, seconds=LEAST_SECONDS)
        await llm.aclose()

    assert server.asked == []


def model_at(server: FaultServer) -> OpenAILLM:
    connection = OpenAIConnection(base_url=server.base_url, api_key="k")
    return OpenAILLM(OpenAILLMConfig(model=server.model, connection=connection))
