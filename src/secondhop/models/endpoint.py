"""What this process knows about one chat model on one server, shared by all its callers."""

import asyncio
import threading
import weakref
from collections import Counter
from collections.abc import AsyncGenerator, Hashable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from secondhop.errors import ModelError, SecondhopError, UsageError
from secondhop.models.account import Account
from secondhop.models.chat_transport import AnswerMode
from secondhop.models.circuit_breaker import BreakerSettings, CircuitBreaker
from secondhop.models.llm import Usage
from secondhop.models.prompt_size import PromptSize
from secondhop.models.retry_policy import Timeouts, failure_of, why_unanswered

FAIR_WAIT_S = 1.0
"""A server that had less time than this to answer does not count as dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLimits(Timeouts):
    """Timeouts, retries and concurrency for a chat model."""

    concurrency: int = 256
    """Concurrent requests per event loop; a server's own limit shows up as 429."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)

    def __post_init__(self) -> None:
        Timeouts.__post_init__(self)  # super() knows no class with slots
        if self.concurrency < 1:
            raise UsageError("a chat model needs concurrency >= 1")


REFUSALS = 3
"""Refusals that rule out a mode. A 4xx counts as this many, an HTTP 500 as one."""


class Endpoint:
    """Lets requests out, within the concurrency limit and not while the circuit is open.

    It also learns which modes the server supports and how the model counts tokens.
    """

    def __init__(self, limits: ChatLimits) -> None:
        self.proven: set[AnswerMode] = set()
        """Modes in which the server has answered; they are never ruled out."""
        self._refusals: Counter[AnswerMode] = Counter()
        self.thinks = False
        """Whether the model once spent a whole reply on thoughts; then replies get more tokens."""
        self.token_ratio = 1.0
        """The model's tokens per token of cl100k_base."""
        self._breaker = CircuitBreaker(limits.breaker)
        self._concurrency = limits.concurrency
        self._fair_s = min(FAIR_WAIT_S, limits.timeout_s)
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._places = WeakKeyDictionary()
        self._lock = threading.Lock()

    def usable(self, modes: Sequence[AnswerMode]) -> list[AnswerMode]:
        """The modes that are not ruled out, in order."""
        ruled_out = {mode for mode, times in self._refusals.items() if times >= REFUSALS}
        return [mode for mode in modes if mode in self.proven or mode not in ruled_out]

    def answered(self, mode: AnswerMode, *, refused: Mapping[AnswerMode, int]) -> None:
        """Note that the server answered in this mode and refused the others.

        Only now do the refusals count: the answer shows that the mode was the reason.
        """
        self.proven.add(mode)
        self._refusals.update(refused)

    @asynccontextmanager
    async def request(
        self, account: Account, *, name: str, prompt: PromptSize, wanted: int
    ) -> AsyncGenerator[int]:
        """Wait for a free place for one request whose reply needs `wanted` tokens at most;
        yields how many it may have. The circuit breaker notes how the request ends. A request
        that the server refused is not charged. Raises ModelError if the circuit is open, or the
        account has too little left."""
        async with self._semaphore():
            if rests_s := self._breaker.rests_s():
                raise ModelError(
                    f"{name} did not answer earlier ({self._breaker.last_cause}) and is not asked "
                    f"again for {rests_s:.0f} s; check the server"
                )
            started = asyncio.get_running_loop().time()
            reply_tokens = account.open_request(prompt=prompt, wanted=wanted)
            try:
                yield reply_tokens
            except BaseException as error:
                waited_s = asyncio.get_running_loop().time() - started
                self._note_failure(error, account, waited_s=waited_s)
                raise
            self._breaker.succeeded()

    def _note_failure(self, error: BaseException, account: Account, *, waited_s: float) -> None:
        failure = failure_of(error)
        if isinstance(error, ModelError):  # no client could be made, so nothing was sent
            account.take_back()
        elif failure.was_free:
            account.charge(Usage())
        answered = True if isinstance(error, SecondhopError) else failure.answered
        if isinstance(error, asyncio.CancelledError):  # cancelled by the deadline or the caller
            answered = None if account.left_s() > 0 else False
        hurried = account.left_s() <= 0.01
        if answered:
            self._breaker.succeeded()
        elif answered is False and not (hurried and waited_s < self._fair_s):
            late = isinstance(error, asyncio.CancelledError)
            cause = "no answer in time" if late else why_unanswered(error)
            self._breaker.failed(cost_s=waited_s, cause=cause, hurried=hurried)

    def _semaphore(self) -> asyncio.Semaphore:
        with self._lock:
            loop = asyncio.get_running_loop()
            return self._places.setdefault(loop, asyncio.Semaphore(self._concurrency))


_shared: dict[Hashable, Endpoint] = {}
_lock = threading.Lock()


def shared_endpoint(key: Hashable, limits: ChatLimits, *, owner: object | None = None) -> Endpoint:
    """The process's only `Endpoint` for `key`; dropped with `owner`, if one is given."""
    with _lock:
        if key not in _shared:
            _shared[key] = Endpoint(limits)
            if owner is not None:
                weakref.finalize(owner, _shared.pop, key, None).atexit = False
        return _shared[key]
