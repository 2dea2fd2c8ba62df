"""What this process knows about a langchain chat model, shared by all who ask the same object."""

import threading
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from secondhop.errors import UsageError
from secondhop.models.answer_modes import AnswerMode, ModeLadder
from secondhop.models.asking import BYTES_PER_REPLY
from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker
from secondhop.models.prompt_size import PromptMeter
from secondhop.models.request_gate import RequestGate

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class LangchainLLMConfig:
    """How patient to be with a chat model."""

    timeout_s: float = 30.0
    """Of one try; the model's own limit, if it has one, may be shorter."""
    attempts: int = 4
    """Tries in all, for failures that may pass: 408, 409, 429, 5xx, timeouts, lost connections."""
    max_wait_s: float = 20.0
    """Longest wait between two tries; a server that asks for more is not waited for."""
    concurrency: int = 256
    """Requests at once on an event loop; a server's own limit shows itself as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)
    bytes_per_reply: int = BYTES_PER_REPLY
    """Of what the model wrote; a longer reply is not read."""

    def __post_init__(self) -> None:
        counts = self.attempts, self.concurrency, self.bytes_per_reply
        if min(counts) < 1 or self.timeout_s <= 0 or self.max_wait_s < 0:
            raise UsageError(
                "LangchainLLMConfig needs attempts, concurrency and bytes_per_reply >= 1, "
                "timeout_s > 0, max_wait_s >= 0"
            )


WAYS: tuple[AnswerMode, ...] = ("json_schema", "json_object", "text")
"""The model's own structured output, whatever it is made of; its JSON mode; plain text."""


@dataclass(slots=True, kw_only=True)
class ChatEndpoint:
    """One chat model, as it has shown itself."""

    gate: RequestGate
    meter: PromptMeter = field(default_factory=PromptMeter)
    """How it counts tokens."""
    modes: ModeLadder = field(default_factory=lambda: ModeLadder(WAYS))
    """Which of the ways it can answer in."""


_endpoints: dict[tuple[int, LangchainLLMConfig], ChatEndpoint] = {}
_lock = threading.Lock()


def endpoint_of(model: "BaseChatModel", config: LangchainLLMConfig, *, name: str) -> ChatEndpoint:
    """The process's one record of this object; it goes when the object goes."""
    key = (id(model), config)
    with _lock:
        if key not in _endpoints:
            _endpoints[key] = ChatEndpoint(
                gate=RequestGate(
                    CircuitBreaker(config.breaker),
                    name=name,
                    concurrency=config.concurrency,
                    timeout_s=config.timeout_s,
                )
            )
            weakref.finalize(model, _endpoints.pop, key, None).atexit = False
        return _endpoints[key]
