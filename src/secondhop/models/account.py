"""What one answer may cost, and what it has cost so far, by request."""

import asyncio
from dataclasses import dataclass, field, replace

from secondhop.errors import ModelError
from secondhop.models.llm import LEAST_REPLY, Usage
from secondhop.models.prompt_size import PromptSize


@dataclass(slots=True, kw_only=True)
class Account:
    """The bounds of one answer, whose requests go out one after another.

    When the next request goes out before the cost of the last one is known, the last one counts as
    lost. Its prompt and the longest reply it might have had are taken off what is left, and
    reported as `lost_tokens` alone.
    """

    deadline: float
    """On the event loop's clock."""
    requests: int
    """How many may be sent in all."""
    tokens: int | None = None
    """Prompt and completion tokens of them all; None: no bound."""
    usage: Usage = field(default_factory=Usage)
    """What was reported, or estimated from a reply that came, so far."""
    _lost: int = 0
    _open: tuple[PromptSize, int] | None = None
    """The request under way: its prompt, and the longest reply it may have, in tokens."""

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - asyncio.get_running_loop().time()

    @property
    def requests_left(self) -> int:
        """How many more may be sent."""
        return max(0, self.requests - self.usage.calls)

    def open_request(self, *, prompt: PromptSize, wanted: int) -> int:
        """One more request goes out; returns the tokens that its reply may have.

        Args:
            wanted: tokens of the reply, at most.

        Raises:
            ModelError: no request is left, or no tokens for a reply worth its prompt.
        """
        if not self.requests_left:
            raise ModelError(f"no request is left of the {self.requests} that this answer may cost")
        self._lost, self._open = self._lost_so_far(), None
        reply = wanted if self.tokens is None else self._reply(self.tokens, prompt, wanted)
        self._open = prompt, reply
        self.usage += Usage(calls=1)
        return reply

    def take_back(self) -> None:
        """The request under way was never sent."""
        self.usage, self._open = replace(self.usage, calls=self.usage.calls - 1), None

    def charge(self, cost: Usage) -> None:
        """What the request under way has cost in tokens; nothing, for one that was refused."""
        self.usage += cost
        self._open = None

    def closed(self) -> Usage:
        """The whole bill, when no further request goes out."""
        return replace(self.usage, lost_tokens=self._lost_so_far())

    def cancelled(self) -> asyncio.CancelledError:
        """A cancellation that tells what was spent, as its first argument.

        Its exact class is what `asyncio.timeout` turns into a TimeoutError, with this as the cause.
        """
        return asyncio.CancelledError(self.closed())

    def _reply(self, tokens: int, prompt: PromptSize, wanted: int) -> int:
        """What is left for the reply; where there is plenty the prompt is not counted."""
        left = tokens - self.usage.tokens - self._lost
        if prompt.at_most + wanted <= left:
            return wanted
        reply = min(wanted, left - prompt.tokens)
        if reply < min(wanted, LEAST_REPLY):
            lost = f"; {self._lost:,} are set aside for replies that were lost" * bool(self._lost)
            raise ModelError(
                f"too few of the {tokens:,} tokens that this answer may cost are left for a "
                f"prompt of about {prompt.tokens:,} and its reply{lost}"
            )
        return reply

    def _lost_so_far(self) -> int:
        if self._open is None:
            return self._lost
        prompt, reply = self._open
        return self._lost + prompt.tokens + reply
