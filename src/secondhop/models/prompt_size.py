"""Estimates how many tokens a model counts in a prompt."""

from collections.abc import Sequence

from secondhop.models.llm import Usage
from secondhop.models.tokens import count_tokens

_FRAME = 8
"""Tokens that a chat template adds around each message, and around the whole prompt."""
_LONG = 100_000
"""Characters; counting the tokens of more would block the event loop for over 20 ms."""
_TELLING = 300
"""Tokens; the reported size of a shorter prompt mostly reflects the chat template."""
_MOST_RATIO = 2.0
"""The highest ratio to cl100k_base that is believed; above it, the server counts other things."""
_MOST_TOKENS = 1_000_000
"""Of one request; a server that reports more is not believed, because no prompt is as long."""


def prompt_size(parts: Sequence[str]) -> int:
    """Tokens of a prompt by cl100k_base, with its frame; `parts`: all texts that the model reads.

    Of a very long text only the beginning is counted; the rest counts as a token a character.
    """
    return sum(map(_size, parts)) + _FRAME * (len(parts) + 1)


def learned_ratio(size: int, *, reported: int, before: float) -> float:
    """The model's tokens per token of ours, 1..2; some count a third more than cl100k_base.

    Args:
        size: the prompt by our own count.
        reported: tokens of the prompt that the server reported.
        before: the ratio so far; kept if the prompt is short and so mostly its template.
    """
    if reported < _TELLING:
        return before
    return min(_MOST_RATIO, max(1.0, reported / size))


def usage_of(reported: Usage | None, *, prompt: int, text: str) -> Usage:
    """What a request cost: as reported, or by our own count if that is missing or too much."""
    if reported is None or max(reported.tokens, reported.cached_tokens) > _MOST_TOKENS:
        return Usage(prompt_tokens=prompt, completion_tokens=_size(text))
    return reported


def _size(text: str) -> int:
    return count_tokens(text[:_LONG]) + len(text[_LONG:])
