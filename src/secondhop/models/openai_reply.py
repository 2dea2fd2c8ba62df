"""Reads the replies of OpenAI-compatible servers leniently, because servers differ."""

from pydantic import BaseModel, Field, ValidationError

from secondhop.models.chat_transport import BrokenReplyError, ChatReply
from secondhop.models.llm import Usage


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _CachedTokens(BaseModel):
    cached_tokens: int | None = Field(default=None, ge=0)


class _Usage(BaseModel):
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    prompt_tokens_details: _CachedTokens | None = None


class _Body(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


def read_chat_reply(body: bytes) -> ChatReply:
    """The reply in the body of a response. Raises BrokenReplyError if the body is not a chat
    completion, or holds no choice."""
    try:
        read = _Body.model_validate_json(body)
    except ValidationError as error:
        raise BrokenReplyError("the reply is not a chat completion") from error
    usage = _spent(read.usage)
    if not read.choices:
        raise BrokenReplyError("the reply holds no choice", usage=usage)
    choice = read.choices[0]
    return ChatReply(
        text=_text(choice.message),
        refused=bool(choice.message.refusal) or choice.finish_reason == "content_filter",
        cut_off=choice.finish_reason == "length",
        usage=usage,
    )


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(part.text or "" for part in message.content)
    return message.content or ""


def _spent(usage: _Usage | None) -> Usage | None:
    """Tokens only, no calls: the request was counted when it was sent. None: not reported."""
    if usage is None or usage.prompt_tokens is None:
        return None
    details = usage.prompt_tokens_details
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens or 0,
        cached_tokens=(details.cached_tokens or 0) if details is not None else 0,
    )
