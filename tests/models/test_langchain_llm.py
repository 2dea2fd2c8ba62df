import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field, SecretStr
from tests.models.async_chat import AsyncChat

from secondhop.errors import UsageError
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.langchain_llm import LangchainLLM, LangchainLLMConfig
from secondhop.models.llm import ChatMessage, Completion, LLMError, Usage

MESSAGES = [
    ChatMessage(role="system", content="be brief"),
    ChatMessage(role="user", content="ask"),
]
ONE = Usage(calls=1, prompt_tokens=10, completion_tokens=5, cached_tokens=4)


class Answer(BaseModel):
    text: str


class ScriptedChat(AsyncChat):
    """Plays back turns: a text, a message, an error, or a wait in seconds."""

    model: str = "scripted"
    turns: list[Any]  # str, AIMessage, Exception or float
    max_tokens: int | None = 1_000
    seen: list[Sequence[BaseMessage]] = Field(default_factory=list[Sequence[BaseMessage]])
    bounds: list[int | None] = Field(default_factory=list[int | None])

    async def reply(self, messages: list[BaseMessage]) -> AIMessage:
        """The next turn."""
        self.seen.append(messages)
        self.bounds.append(self.max_tokens)
        turn = self.turns.pop(0)
        if isinstance(turn, float):
            await asyncio.sleep(turn)
            turn = "late"
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, AIMessage) else said(turn)


class ToolChat(ScriptedChat):
    """A scripted model that can be made to call a tool."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        return self.bind(tools_bound=True)


def said(text: str, *, call: dict[str, Any] | None = None) -> AIMessage:
    return AIMessage(
        content=text,
        tool_calls=[] if call is None else [{"name": "Answer", "args": call, "id": "1"}],
        usage_metadata={
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 15,
            "input_token_details": {"cache_read": 4},
        },
    )


async def ask(
    llm: LangchainLLM, *, deadline_s: float = 5.0, calls: int = 8, tokens: int | None = None
) -> Completion[Answer]:
    return await llm.complete(
        MESSAGES,
        schema=Answer,
        max_tokens=50,
        deadline_s=deadline_s,
        max_calls=calls,
        max_total_tokens=tokens,
    )


async def test_a_model_with_tools_answers_by_its_structured_output() -> None:
    model = ToolChat(turns=[said("", call={"text": "fine"})])
    assert await ask(LangchainLLM(model)) == Completion(parsed=Answer(text="fine"), usage=ONE)
    assert [message.type for message in model.seen[0]] == ["system", "human"]
    assert "JSON schema" not in str(model.seen[0])


async def test_a_model_without_is_asked_for_text_with_the_schema() -> None:
    model = ScriptedChat(turns=['Here: ```json\n{"text": "fine"}\n```'])
    assert await ask(LangchainLLM(model)) == Completion(parsed=Answer(text="fine"), usage=ONE)
    assert "JSON schema" in str(model.seen[0][-1].content)


def test_a_model_that_repeats_requests_in_secret_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stubborn(ScriptedChat):
        max_retries: int = 2
        client: Any = "of a kind that nobody knows"

    LangchainLLM(Stubborn(turns=[]))
    assert "max_retries=0" in caplog.text
    caplog.clear()
    LangchainLLM(Stubborn(turns=[], max_retries=0))
    assert caplog.text == ""


async def test_the_models_keys_stay_out_of_what_is_told() -> None:
    class Keyed(ScriptedChat):
        key: SecretStr = SecretStr("sk-SECRET-012345")

    told = "no such key sk-SECRET-012345 at https://me:pass@host/v1?key=abc&x=1"
    with pytest.raises(LLMError, match="no such key … at") as failure:
        await ask(LangchainLLM(Keyed(turns=[ValueError(told)])))
    assert not {"SECRET", "pass", "abc"} & set(re.split(r"\W", str(failure.value)))


async def test_two_who_were_given_the_same_model_know_the_same_of_it() -> None:
    breaker = BreakerSettings(failures=1, cooldown_s=60.0)
    config = LangchainLLMConfig(attempts=1, breaker=breaker)
    model = ScriptedChat(turns=[ConnectionError("gone")])
    with pytest.raises(LLMError, match="the connection broke"):
        await ask(LangchainLLM(model, config=config))
    with pytest.raises(LLMError, match="is not asked again"):
        await ask(LangchainLLM(model, config=config))
    other = ScriptedChat(turns=['{"text": "fine"}'])
    assert (await ask(LangchainLLM(other, config=config))).parsed.text == "fine"


async def test_the_bound_on_tokens_goes_to_the_model_and_never_above_its_own() -> None:
    fine = '{"text": "fine"}'
    model = ScriptedChat(turns=[fine])
    await ask(LangchainLLM(model))
    low = ScriptedChat(turns=[fine], max_tokens=20)
    await ask(LangchainLLM(low))
    assert (model.bounds, low.bounds) == ([50], [20])
    assert model.max_tokens == 1_000


def test_a_model_that_does_not_tell_its_name_needs_one() -> None:
    class Unnamed(ScriptedChat):
        model: str = ""

    with pytest.raises(UsageError, match="model_id"):
        LangchainLLM(Unnamed(turns=[]))
    assert LangchainLLM(Unnamed(turns=[]), model_id="mine").model_id == "mine"
