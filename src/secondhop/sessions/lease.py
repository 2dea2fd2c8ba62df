"""Shows that a worker is alive while it computes a round."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from secondhop.errors import SecondhopError
from secondhop.stores.sessions import SessionStore

logger = logging.getLogger(__name__)

RENEWALS = 3
"""Renewals a lease: one that is lost or late does not hand the work to somebody else."""


@asynccontextmanager
async def lease_kept(
    store: SessionStore, session_id: str, *, round_number: int, worker: str, lease_s: float
) -> AsyncGenerator[None, None]:
    """Renews the lease until the block ends; without it a slow round would be computed twice.

    (Twice does no harm: only one of them is published.)
    """

    over = asyncio.Event()

    async def renew() -> None:
        # not for ever: a client library may turn the cancellation below into an error of its own
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), lease_s / RENEWALS)
                return
            try:
                await store.claim(
                    session_id, round_number=round_number, worker=worker, lease_s=lease_s
                )
            except SecondhopError as error:
                logger.warning("the lease on session %s was not renewed: %s", session_id, error)

    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        over.set()
        renewing.cancel()
        await asyncio.wait([renewing])
