"""A langchain chat model over real sockets, which keeps an SDK client as langchain-openai does."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from tests.models.fault_server import FaultServer


class SocketChat(BaseChatModel):
    """Repeats failed requests by itself, as the SDKs do unless they are told otherwise."""

    model: str
    max_retries: int | None = None
    max_tokens: int | None = None
    sdk: Any
    completions: Any

    @property
    def _llm_type(self) -> str:
        return "socket"

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
        said = await self.completions.create(
            model=self.model,
            messages=convert_to_openai_messages(messages),
            max_tokens=self.max_tokens,
        )
        message = AIMessage(
            content=said.choices[0].message.content,
            usage_metadata={
                "input_tokens": said.usage.prompt_tokens,
                "output_tokens": said.usage.completion_tokens,
                "total_tokens": said.usage.prompt_tokens + said.usage.completion_tokens,
            },
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def socket_chat(server: FaultServer) -> SocketChat:
    """A model behind that server."""
    client = AsyncOpenAI(
        base_url=server.base_url, api_key="secret-key", http_client=DefaultAsyncHttpxClient()
    )
    return SocketChat(model=server.model, sdk=client, completions=client.chat.completions)
