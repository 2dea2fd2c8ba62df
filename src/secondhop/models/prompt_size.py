"""Estimates how many tokens a model will count in a prompt."""

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from secondhop.errors import ModelUnavailableError
from secondhop.models.llm import Usage
from secondhop.models.tokens import count_tokens, prepare_tokens

_FRAME = 8
"""Tokens that a chat template puts around a message, and around the whole."""
_LONG = 100_000
"""Characters; counting more would hold up the event loop for longer than 20 ms."""
_TELLING = 300
"""Tokens; what a server says of a shorter prompt is mostly about its template."""
_HIDDEN_PROMPT = 2_000
"""Tokens that a server may add to a prompt: its own instructions, the frame of a tool."""
_HIDDEN_REPLY = 20
"""So many times the tokens that were allowed, or the bytes that came, are believed of a reply."""
_MOST = 2.0
"""Times cl100k_base's count; a server that tells more counts something else, too."""


def counted_tokens(text: str) -> int:
    """Tokens of a text by cl100k_base; its bytes where that is not on this machine, or takes long.

    No tokenizer makes more tokens than there are bytes; nothing is fetched to count.
    """
    if len(text) > _LONG:
        return _bytes(text)
    try:
        prepare_tokens(offline=True)
        return count_tokens(text)
    except ModelUnavailableError:
        return _bytes(text)


def ready_to_count() -> None:
    """Read the token ranks, which takes longer than a deadline may be; nothing is fetched."""
    with suppress(ModelUnavailableError):
        prepare_tokens(offline=True)


class PromptSize:
    """The size of one prompt; counted only when its exact size matters."""

    def __init__(self, parts: Sequence[str], *, ratio: float = 1.0) -> None:
        """`parts`: messages, and what else the model reads; `ratio`: its tokens to one of ours."""
        self._parts, self._ratio = parts, ratio
        self._frame = _FRAME * (len(parts) + 1)

    @cached_property
    def at_most(self) -> int:
        """Tokens, however the model counts."""
        return sum(map(_bytes, self._parts)) + self._frame

    @cached_property
    def counted(self) -> int:
        """Tokens of the texts by our own count."""
        return sum(map(counted_tokens, self._parts))

    @cached_property
    def tokens(self) -> int:
        """Tokens, as well as they can be estimated: rather one too many."""
        return min(self.at_most, math.ceil(self.counted * self._ratio) + self._frame)


def learned_ratio(size: PromptSize, *, reported: int, before: float) -> float:
    """How many tokens the model makes of one of ours; some make a third more than cl100k_base.

    Args:
        reported: tokens of the prompt, as the server says.
        before: the ratio so far; it stands after a short prompt, which is mostly a template.
    """
    if reported < _TELLING:
        return before
    return min(_MOST, max(1.0, reported / max(1, size.counted)))


def plausible_usage(reported: Usage | None, size: PromptSize, *, text: str, allowed: int) -> Usage:
    """What a request cost: as the server tells, and by our own count where that cannot be.

    Args:
        reported: None: the server does not say.
        text: of the reply.
        allowed: tokens that the reply might have. A server may ignore that bound, and a model may
            think in tokens that it does not show, but not without limit.
    """
    if reported is None:
        return Usage(prompt_tokens=size.tokens, completion_tokens=counted_tokens(text))
    prompt, completion = reported.prompt_tokens, reported.completion_tokens
    if prompt > size.at_most + _HIDDEN_PROMPT:
        prompt = size.tokens
    if completion > _HIDDEN_REPLY * max(allowed, _bytes(text)):
        completion = counted_tokens(text)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=min(reported.cached_tokens, prompt),
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
