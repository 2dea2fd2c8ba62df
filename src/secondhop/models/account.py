"""What one answer may cost, and what it has cost so far, request by request."""

import asyncio
from dataclasses import dataclass, field, replace

from secondhop.errors import ModelError
from secondhop.models.llm import LEAST_REPLY, Usage

_BYTES_PER_TOKEN = 4


@dataclass(slots=True, kw_only=True)
class Account:
    """The bounds of one answer, whose requests go out one after another.

    A request whose cost nobody told before the next one goes out counts as lost: its prompt and
    the longest reply it might have had are taken off what is left, and told as `lost_tokens` alone.
    """

    deadline: float
    """On the event loop's clock."""
    requests: int
    """How many may be sent in all."""
    tokens: int | None = None
    """Prompt and completion tokens of them all; None: no bound."""
    usage: Usage = field(default_factory=Usage)
    """What was told, or estimated from a reply that came, so far."""
    _lost: int = 0
    _open: int = 0
    """The most that the request under way can cost, in tokens."""

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - asyncio.get_running_loop().time()

    @property
    def requests_left(self) -> int:
        """How many more may be sent."""
        return max(0, self.requests - self.usage.calls)

    def open_request(self, *, prompt: int, wanted: int) -> int:
        """One more request goes out; returns the tokens that its reply may have.

        Args:
            prompt: its tokens, by estimate.
            wanted: tokens of the reply, at most.

        Raises:
            ModelError: no request is left, or no tokens for a reply worth its prompt.
        """
        if not self.requests_left:
            raise ModelError(f"no request is left of the {self.requests} that this answer may cost")
        self._lost, self._open = self._lost + self._open, 0
        reply = wanted
        if self.tokens is not None:
            reply = min(wanted, self.tokens - self.usage.tokens - self._lost - prompt)
        if reply < min(wanted, LEAST_REPLY):
            lost = f"; {self._lost:,} are set aside for replies that were lost" * bool(self._lost)
            raise ModelError(
                f"too few of the {self.tokens:,} tokens that this answer may cost are left for a "
                f"prompt of about {prompt:,} and its reply{lost}"
            )
        self._open = prompt + reply
        self.usage += Usage(calls=1)
        return reply

    def charge(self, told: Usage) -> None:
        """What the request under way has cost in tokens; nothing, for one that was refused."""
        self.usage += told
        self._open = 0

    def closed(self) -> Usage:
        """The whole bill, when no further request goes out."""
        return replace(self.usage, lost_tokens=self._lost + self._open)

    def cancelled(self) -> asyncio.CancelledError:
        """A cancellation that tells what was spent, as its first argument.

        Its exact class is what `asyncio.timeout` turns into a TimeoutError, with this as the cause.
        """
        return asyncio.CancelledError(self.closed())


def estimated_tokens(text: str) -> int:
    """Tokens of a text, 4 UTF-8 bytes each, where nobody tells how a model counts."""
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN
