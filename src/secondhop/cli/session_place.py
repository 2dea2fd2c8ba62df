"""Where open sessions are kept, as options and environment name it; in a dry run nowhere."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from secondhop.cli.opening import opened
from secondhop.cli.options import Common
from secondhop.recall import Recall
from secondhop.sessions.stores import chosen_sessions
from secondhop.settings import load_settings
from secondhop.stores.sessions_database import DatabaseSessions


async def expect_sessions(common: Common) -> None:
    """Ask the place where sessions are kept for one, if that is a server: now, not when it matters.

    Raises:
        UsageError: no such place.
        StoreError: the server does not answer.
    """
    environment = load_settings()
    named = common.sessions or environment.sessions
    store = chosen_sessions(named)
    if store is not None:
        async with aclosing(store):
            await store.load("none", owner="none")


@asynccontextmanager
async def opened_for_votes(common: Common, *, dry_run: bool) -> AsyncGenerator[Recall, None]:
    """The chosen memory; in a dry run sessions and caches are kept elsewhere."""
    if not dry_run:
        async with opened(common) as recall:
            yield recall
        return
    with TemporaryDirectory(prefix="secondhop-", ignore_cleanup_errors=True) as caches:
        store = DatabaseSessions(Path(caches) / "sessions.db")
        async with opened(common, caches=Path(caches), sessions=store) as recall:
            yield recall
