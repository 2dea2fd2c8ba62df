"""Estimates how many tokens a model counts in a prompt."""

import math
from collections.abc import Sequence
from contextlib import suppress

from secondhop.errors import ModelUnavailableError
from secondhop.models.llm import Usage
from secondhop.models.tokens import count_tokens, prepare_tokens

_FRAME = 8
"""Tokens that a chat template adds around each message, and around the whole prompt."""
_LONG = 100_000
"""Characters; counting the tokens of more would block the event loop for over 20 ms."""
_TELLING = 300
"""Tokens; the reported size of a shorter prompt mostly reflects the chat template."""
_HIDDEN_PROMPT = 2_000
"""Tokens that a server may add to a prompt: its own instructions, the frame of a tool."""
_HIDDEN_REPLY = 20
"""A reported reply is implausible above this many times the tokens allowed or bytes received."""
_MOST = 2.0
"""The highest ratio to cl100k_base that is believed; above it, the server counts other things."""


def counted_tokens(text: str) -> int:
    """Tokens of a text by cl100k_base, or its bytes if the text is long or the ranks are missing.

    No tokenizer makes more tokens than bytes. Nothing is downloaded.
    """
    if len(text) > _LONG:
        return _bytes(text)
    try:
        prepare_tokens(offline=True)
        return count_tokens(text)
    except ModelUnavailableError:
        return _bytes(text)


def ready_to_count() -> None:
    """Load the token ranks now, because it can take longer than a deadline; downloads nothing."""
    with suppress(ModelUnavailableError):
        prepare_tokens(offline=True)


class PromptSize:
    """The size of one prompt."""

    def __init__(self, parts: Sequence[str], *, ratio: float = 1.0) -> None:
        """`parts`: all texts that the model reads; `ratio`: its tokens per token of ours."""
        frame = _FRAME * (len(parts) + 1)
        self.at_most = sum(map(_bytes, parts)) + frame
        """An upper bound on the tokens, however the model counts."""
        self.counted = sum(map(counted_tokens, parts))
        """Tokens of the texts by our own count, without the frame."""
        self.tokens = min(self.at_most, math.ceil(self.counted * ratio) + frame)
        """The best estimate of the tokens, rounded up."""


def learned_ratio(size: PromptSize, *, reported: int, before: float) -> float:
    """The model's tokens per token of ours, 1..2; some count a third more than cl100k_base. The
    ratio before is kept if the prompt is short and so mostly its template."""
    if reported < _TELLING:
        return before
    return min(_MOST, max(1.0, reported / max(1, size.counted)))


def plausible_usage(reported: Usage | None, size: PromptSize, *, text: str, allowed: int) -> Usage:
    """What a request cost: as reported, or by our own count for implausible or missing numbers.

    A server may ignore the bound on the reply's tokens (`allowed`), and a model may think in tokens
    that it does not show, but only up to a limit.
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
