"""Calls that nobody can wait for are not made."""

import pytest
from pydantic import BaseModel
from tests.models.fault_server import FaultServer, running

from secondhop.models.llm import LLMError, StructuredLLM
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.budget import Remaining
from secondhop.nodes.llm_call import LEAST_SECONDS, ModelCall, asked_model
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
