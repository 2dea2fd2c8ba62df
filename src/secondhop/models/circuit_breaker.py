"""A circuit breaker: a server that does not answer is not asked for a while."""

import threading
import time
from dataclasses import dataclass
from math import inf

from secondhop.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSettings:
    """When an endpoint counts as dead, and for how long."""

    failures: int = 3
    """This many failures in a row open the circuit."""
    patience_s: float = 2.0
    """Failures in a row that together cost this much time open it, too; waits at the same time
    count once, and one long wait is enough. Shorter waits of callers who had no more time count a
    third: another caller may have the time that the server needs."""
    cooldown_s: float = 30.0
    """How long an open circuit refuses requests. After that, one more failure opens it again."""

    def __post_init__(self) -> None:
        if self.failures < 1 or self.patience_s < 0 or self.cooldown_s < 0:
            raise UsageError("BreakerSettings needs failures >= 1, patience_s and cooldown_s >= 0")


HURRIED = 1 / 3
"""What a wait counts that ended only because the caller had no more time."""


class CircuitBreaker:
    """Counts failures in a row. Safe to share between threads and event loops.

    >>> breaker = CircuitBreaker(BreakerSettings(failures=1, cooldown_s=60))
    >>> breaker.failed(cost_s=0.1, cause="connection refused")
    >>> breaker.rests_s() > 59
    True
    >>> breaker.succeeded()
    >>> breaker.rests_s()
    0.0

    Source: Nygard, Release It!, 2nd ed. 2018, "Circuit Breaker".
    """

    def __init__(self, settings: BreakerSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._failures, self._cost_s, self._last_at = 0, 0.0, -inf
        self._open_until = 0.0
        self.last_cause = ""
        """Why the last failed request had no answer, in words."""

    def succeeded(self) -> None:
        """Close the circuit: the endpoint answered, even if only with an error."""
        with self._lock:
            self._failures, self._cost_s, self._open_until = 0, 0.0, 0.0

    def failed(self, *, cost_s: float, cause: str, hurried: bool = False) -> None:
        """Count a request without an answer, which took `cost_s` seconds. `hurried`: the caller had
        no more time, so it tells little about the server unless it is longer than the patience."""
        settings = self._settings
        with self._lock:
            now = time.monotonic()
            tells_little = hurried and cost_s < settings.patience_s
            self._failures += not tells_little
            self._cost_s += min(cost_s, now - self._last_at) * (HURRIED if tells_little else 1)
            self._last_at, self.last_cause = now, cause
            longest_s = max(cost_s, self._cost_s)
            if self._failures >= settings.failures or longest_s >= settings.patience_s:
                self._open_until = now + settings.cooldown_s

    def rests_s(self) -> float:
        """Seconds until requests may go out again; 0 if they may now."""
        return max(0.0, self._open_until - time.monotonic())
