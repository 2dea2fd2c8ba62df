"""A circuit breaker: an endpoint that does not answer is left alone for a while."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from secondhop.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSettings:
    """When an endpoint counts as dead, and for how long."""

    failures: int = 3
    """So many failures in a row open the circuit."""
    patience_s: float = 2.0
    """Failures in a row that cost this much time together open it too: one long wait is enough."""
    cooldown_s: float = 30.0
    """How long an open circuit refuses; then one probe goes through."""

    def __post_init__(self) -> None:
        if self.failures < 1 or self.patience_s < 0 or self.cooldown_s < 0:
            raise UsageError("BreakerSettings needs failures >= 1, patience_s and cooldown_s >= 0")


class CircuitBreaker:
    """closed -> open (refuses) -> half-open (one probe) -> closed or open again.

    Each `admit()` that says yes is followed by one of `succeeded`, `failed`, `abandoned`.
    Safe to share between threads and event loops.

    >>> breaker = CircuitBreaker(BreakerSettings(failures=1, cooldown_s=60))
    >>> breaker.admit()
    True
    >>> breaker.failed(cost_s=0.1)
    >>> breaker.admit()
    False

    Source: Nygard, Release It!, 2nd ed. 2018, "Circuit Breaker".
    """

    def __init__(
        self, settings: BreakerSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings, self._clock = settings, clock
        self._lock = threading.Lock()
        self._failures, self._cost_s = 0, 0.0
        self._cause = ""
        self._open_until: float | None = None
        self._probing = False

    def admit(self) -> bool:
        """Whether a request may go out now."""
        with self._lock:
            if self._open_until is None:
                return True
            if self._probing or self._clock() < self._open_until:
                return False
            self._probing = True
            return True

    def succeeded(self) -> None:
        """The endpoint answered, if only with an error of its own: the circuit closes."""
        with self._lock:
            self._failures, self._cost_s = 0, 0.0
            self._open_until, self._probing = None, False

    def failed(self, *, cost_s: float, cause: str = "") -> None:
        """No answer; `cost_s` seconds were waited for it; `cause` tells why, in words."""
        with self._lock:
            self._failures += 1
            self._cause = cause
            self._cost_s += cost_s
            dead = (
                self._probing
                or self._failures >= self._settings.failures
                or self._cost_s >= self._settings.patience_s
            )
            if dead:
                self._open_until = self._clock() + self._settings.cooldown_s
            self._probing = False

    def abandoned(self) -> None:
        """The caller went away before the endpoint could show anything."""
        with self._lock:
            self._probing = False

    def rests_s(self) -> float:
        """Seconds until the next probe may go out; 0 when the circuit is closed."""
        with self._lock:
            return max(0.0, (self._open_until or 0.0) - self._clock()) if self._open_until else 0.0

    def last_cause(self) -> str:
        """Why the last request without an answer had none, in words; "": unknown."""
        with self._lock:
            return self._cause
