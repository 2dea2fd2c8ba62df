"""The gate before a model: so many requests at once, and none while its circuit is open."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias
from weakref import WeakKeyDictionary

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.circuit_breaker import CircuitBreaker

FAIR_WAIT_S = 1.0
"""A caller that gave the server less time than this has not shown that it is dead."""

Settle: TypeAlias = Callable[[bool | None, str], None]
"""Tells how a request ended: answered, not answered, or None, unknown; and why not, in words."""


class RequestGate:
    """Lets requests to one endpoint out, and tells its circuit breaker how they end."""

    def __init__(
        self, breaker: CircuitBreaker, *, name: str, concurrency: int, timeout_s: float
    ) -> None:
        """`timeout_s`: of one request; `concurrency`: requests at once on an event loop."""
        self._breaker, self._name, self._concurrency = breaker, name, concurrency
        self._fair_s = min(FAIR_WAIT_S, timeout_s)
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
        self._places = WeakKeyDictionary()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def entered(self, account: Account) -> AsyncGenerator[Settle]:
        """A place, held until the request is over; whoever settles nothing has learnt nothing.

        Raises:
            ModelError: the circuit is open.
        """
        async with self._semaphore():
            if not self._breaker.admit():
                cause = self._breaker.last_cause()
                raise ModelError(
                    f"{self._name} did not answer before{f' ({cause})' if cause else ''}; it is "
                    f"left alone for {self._breaker.rests_s():.0f} s more; check the server"
                )
            settle = self._settler(account)
            try:
                yield settle
            finally:
                settle(None, "")

    def _settler(self, account: Account) -> Settle:
        started, settled = asyncio.get_running_loop().time(), False

        def settle(answered: bool | None, cause: str) -> None:
            nonlocal settled
            if settled:
                return
            settled = True
            waited_s = asyncio.get_running_loop().time() - started
            cut_short = account.left_s() <= 0.01 and waited_s < self._fair_s
            if answered:
                self._breaker.succeeded()
            elif answered is None or cut_short:
                self._breaker.abandoned()
            else:
                self._breaker.failed(cost_s=waited_s, cause=cause)

        return settle

    def _semaphore(self) -> asyncio.Semaphore:
        with self._lock:
            loop = asyncio.get_running_loop()
            if loop not in self._places:
                self._places[loop] = asyncio.Semaphore(self._concurrency)
            return self._places[loop]
