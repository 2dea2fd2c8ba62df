"""What one answer may cost, and what its requests have cost so far."""

import asyncio
from dataclasses import dataclass, field, replace

from secondhop.errors import ModelError
from secondhop.models.llm import LEAST_REPLY, Usage
from secondhop.models.prompt_size import PromptSize


@dataclass(slots=True, kw_only=True)
class Account:
    """The bounds of one answer, whose requests go out one after another.

    If the next request goes out before the cost of the last one is known, the last one counts as
    lost. Its prompt and the longest reply that it might have had are subtracted from what is left.
    They are reported only as `lost_tokens`.
    """

    deadline: float
    """On the event loop's clock."""
    requests: int
    """How many requests may be sent in all."""
    tokens: int | None = None
    """How many prompt and completion tokens all requests together may cost; None: no bound."""
    usage: Usage = field(default_factory=Usage)
    """The cost so far, as reported or as estimated from a reply that came."""
    _lost: int = 0
    _open: tuple[PromptSize, int] | None = None
    """The request under way: its prompt, and the longest reply it may have, in tokens."""

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - asyncio.get_running_loop().time()

    @property
    def requests_left(self) -> int:
        """How many more requests may be sent."""
        return max(0, self.requests - self.usage.calls)

    def open_request(self, *, prompt: PromptSize, wanted: int) -> int:
        """Book one more request, whose reply needs `wanted` tokens at most; returns how many it
        may have. Raises ModelError if no request is left, or too few tokens for a useful reply."""
        if not self.requests_left:
            raise ModelError(f"all {self.requests} requests that this answer may cost are used up")
        self._lost, self._open = self._lost_so_far(), None
        reply = wanted
        if self.tokens is not None:
            reply = min(wanted, self.tokens - self.usage.tokens - self._lost - prompt.tokens)
        if reply < min(wanted, LEAST_REPLY):
            lost = f"; {self._lost:,} are set aside for replies that were lost" * bool(self._lost)
            raise ModelError(
                f"too few of the {self.tokens:,} tokens that this answer may cost are left for a "
                f"prompt of about {prompt.tokens:,} and its reply{lost}"
            )
        self._open = prompt, reply
        self.usage += Usage(calls=1)
        return reply

    def take_back(self) -> None:
        """Cancel the booking of the request under way, because it was never sent."""
        self.usage, self._open = replace(self.usage, calls=self.usage.calls - 1), None

    def charge(self, cost: Usage) -> None:
        """Add the tokens that the request under way cost; none if it was refused."""
        self.usage += cost
        self._open = None

    def closed(self) -> Usage:
        """The total cost, once no further request goes out."""
        return replace(self.usage, lost_tokens=self._lost_so_far())

    def cancelled(self) -> asyncio.CancelledError:
        """A CancelledError whose first argument is what was spent.

        `asyncio.timeout` turns only this exact class into a TimeoutError, and keeps it as the
        cause.
        """
        return asyncio.CancelledError(self.closed())

    def _lost_so_far(self) -> int:
        if self._open is None:
            return self._lost
        prompt, reply = self._open
        return self._lost + prompt.tokens + reply
