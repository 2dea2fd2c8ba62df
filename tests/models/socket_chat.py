"""A langchain chat model over real sockets, which keeps an SDK client as langchain-openai does."""

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from tests.models.async_chat import AsyncChat
from tests.models.fault_server import FaultServer


class SocketChat(AsyncChat):
    """Repeats failed requests by itself, as the SDKs do unless they are told otherwise."""

    model: str
    max_retries: int | None = None
    max_tokens: int | None = None
    sdk: Any
    completions: Any

    async def reply(self, messages: list[BaseMessage]) -> AIMessage:
        """As the server words it."""
        said = await self.completions.create(
            model=self.model,
            messages=convert_to_openai_messages(messages),
            max_tokens=self.max_tokens,
        )
        return AIMessage(
            content=said.choices[0].message.content,
            usage_metadata={
                "input_tokens": said.usage.prompt_tokens,
                "output_tokens": said.usage.completion_tokens,
                "total_tokens": said.usage.prompt_tokens + said.usage.completion_tokens,
            },
        )


def socket_chat(server: FaultServer) -> SocketChat:
    """A model behind that server."""
    client = AsyncOpenAI(
        base_url=server.base_url, api_key="secret-key", http_client=DefaultAsyncHttpxClient()
    )
    return SocketChat(model=server.model, sdk=client, completions=client.chat.completions)
