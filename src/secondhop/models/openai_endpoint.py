"""What this process knows about a chat endpoint, shared by all who talk to it."""

import threading
from dataclasses import dataclass, field
from typing import Literal

from secondhop.models.answer_modes import ModeLadder
from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker
from secondhop.models.prompt_size import PromptMeter

TokenWord = Literal["max_tokens", "max_completion_tokens"]


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """One model at one server."""

    breaker: CircuitBreaker
    token_word: TokenWord
    """How it wants the bound on generated tokens called."""
    modes: ModeLadder = field(default_factory=ModeLadder)
    meter: PromptMeter = field(default_factory=PromptMeter)
    """How it counts tokens."""

    def other_word(self, refused: TokenWord) -> None:
        """It does not take this word for the bound."""
        other: TokenWord = "max_tokens"
        if refused == "max_tokens":
            other = "max_completion_tokens"
        self.token_word = other


_endpoints: dict[tuple[str | None, str, BreakerSettings], Endpoint] = {}
_lock = threading.Lock()


def endpoint_of(base_url: str | None, model: str, breaker: BreakerSettings) -> Endpoint:
    """The process's one record of this endpoint; None is OpenAI itself."""
    key = (base_url, model, breaker)
    with _lock:
        if key not in _endpoints:
            # OpenAI's newer models refuse the old word, many local servers ignore the new one
            openai_itself = base_url is None or "api.openai.com" in base_url
            _endpoints[key] = Endpoint(
                breaker=CircuitBreaker(breaker),
                token_word="max_completion_tokens" if openai_itself else "max_tokens",
            )
        return _endpoints[key]
