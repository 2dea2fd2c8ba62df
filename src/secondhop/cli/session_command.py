"""The command `session`: a recall that is voted on."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun, SessionsPlace, place_again

if TYPE_CHECKING:
    from secondhop.recall import Recall
    from secondhop.sessions.learner import Resolution


def session(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    k: Annotated[
        int | None, typer.Option("--k", "-k", min=1, metavar="N", help="Memories a round. [5]")
    ] = None,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Answers at most. [4]")
    ] = None,
    sessions: SessionsPlace = None,
    dry_run: DryRun = False,
) -> None:
    """Recall in rounds: vote on what came, and look again.

    Type lines like "1h 2c", then n: numbers with h hot, w warm, c cold, x wrong, s spark; n next
    round, r resolve, q quit.
    """
    from dataclasses import asdict

    from secondhop.cli.opening import run
    from secondhop.cli.session_lines import SessionLines, typed_lines
    from secondhop.cli.terminal import notices, print_json, screen

    console = notices() if common.json else screen()
    common = replace(common, sessions=sessions)

    async def work() -> "Resolution | None":
        async with (
            opened_for_votes(common, dry_run=dry_run) as recall,
            recall.sessions.open(
                question, k=k, max_rounds=max_rounds, at=common.at
            ) as open_session,
        ):
            place = place_again(common)
            shown = SessionLines(open_session, console, place=place, dry_run=dry_run)
            return await shown.run(typed_lines())

    ended = run(work())
    if common.json:
        told = {
            "resolved": ended and ended.session.model_dump(mode="json"),
            "learned": ended and asdict(ended.learned),
        }
        print_json(told | ({"dry_run": True} if dry_run else {}))


@asynccontextmanager
async def opened_for_votes(common: Common, *, dry_run: bool) -> AsyncGenerator["Recall", None]:
    """The chosen memory; in a dry run sessions and caches are kept elsewhere."""
    from secondhop.cli.opening import expect_sessions, opened
    from secondhop.stores.sessions_database import DatabaseSessions

    if not dry_run:
        await expect_sessions(common)
        async with opened(common) as recall:
            yield recall
        return
    with TemporaryDirectory(prefix="secondhop-", ignore_cleanup_errors=True) as caches:
        store = DatabaseSessions(Path(caches) / "sessions.db")
        async with opened(common, caches=Path(caches), sessions=store) as recall:
            yield recall
