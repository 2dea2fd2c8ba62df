"""The base class of the tests' langchain chat models; a subclass says what it replies."""

from abc import abstractmethod
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class AsyncChat(BaseChatModel):
    """Can only be called asynchronously, which is how our adapter calls it."""

    @abstractmethod
    async def reply(self, messages: list[BaseMessage]) -> AIMessage:
        """The reply to these messages."""

    @property
    def _llm_type(self) -> str:
        return "of tests"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise AssertionError("the async door is the one to use")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self.reply(messages))])
