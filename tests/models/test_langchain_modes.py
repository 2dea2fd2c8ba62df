"""How a langchain chat model is asked, structured or for text, and what the adapter learns."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel
from pydantic import Field
from tests.models.async_chat import AsyncChat
from tests.models.on_sockets import Answer, ask

from secondhop.models.langchain_llm import LangchainLLM
from secondhop.models.llm import LLMError

FINE = '{"text": "fine"}'


class MethodChat(AsyncChat):
    """Has several ways to give structured answers, as most models do; its server supports some."""

    model: str = "of several methods"
    able: frozenset[str]
    written: str = FINE
    asked: list[str] = Field(default_factory=list[str])
    """The way in which each request was sent."""
    told: list[str] = Field(default_factory=list[str])
    """The last message of each request."""
    parsed: list[str] = Field(default_factory=list[str])
    """What langchain's parser was given."""

    async def reply(self, messages: list[BaseMessage]) -> AIMessage:
        """Reply to a request for text."""
        return await self.replied("text", messages)

    async def replied(self, way: str, messages: Sequence[BaseMessage]) -> AIMessage:
        """Reply in that way, or refuse."""
        self.asked.append(way)
        self.told.append(str(messages[-1].content))
        if way not in self.able:
            raise ValueError(f"does not support {way}")
        return AIMessage(content=self.written)

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        method: str = "function_calling",
        include_raw: bool = False,
        **kwargs: Any,
    ) -> Runnable[Any, Any]:
        """A chain that asks by that method and then parses the reply."""

        async def raw(pairs: list[tuple[str, str]]) -> AIMessage:
            return await self.replied(method, [BaseMessage(content=t, type=r) for r, t in pairs])

        def parsed(found: dict[str, AIMessage]) -> dict[str, AIMessage]:
            self.parsed.append(str(found["raw"].content))
            return found

        return RunnableParallel(raw=RunnableLambda(raw)) | RunnableLambda(parsed)


async def ways_of(llm: LangchainLLM, model: MethodChat, *, calls: int = 8) -> list[str]:
    """The ways in which one answer was asked for."""
    before = len(model.asked)
    assert (await ask(llm, calls=calls)).parsed == Answer(text="fine")
    return model.asked[before:]


async def test_a_model_that_refuses_tools_is_asked_for_text_and_that_is_learned() -> None:
    model = MethodChat(able=frozenset({"text"}))
    llm = LangchainLLM(model)

    ways = [await ways_of(llm, model) for _ in range(4)]

    assert ways == [*[["function_calling", "text"]] * 3, ["text"]]
    assert ["JSON schema" in told for told in model.told] == [False, True] * 3 + [True]


async def test_langchains_own_parser_is_left_out() -> None:
    model = MethodChat(able=frozenset({"function_calling"}), written="{" * 100 + FINE)

    with pytest.raises(LLMError, match="answered twice"):
        await ask(LangchainLLM(model))

    assert model.parsed == []  # its time would grow with the square of such a reply
