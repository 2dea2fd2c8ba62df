"""The command `session`: a recall that is voted on, key by key."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun, SessionsPlace, place_again

if TYPE_CHECKING:
    from secondhop.sessions.learner import Resolution


def session(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    k: Annotated[int | None, typer.Option(min=1, metavar="N", help="Memories a round. [5]")] = None,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Answers at most. [4]")
    ] = None,
    sessions: SessionsPlace = None,
    dry_run: DryRun = False,
) -> None:
    """Recall in rounds: vote on what came, and look again.

    Keys, or lines of them on standard input: h w c x s vote, n next round, r resolve, q quit.
    """
    from secondhop.cli.opening import run
    from secondhop.cli.session_keys import keys
    from secondhop.cli.session_place import expect_sessions, opened_for_votes
    from secondhop.cli.session_terminal import SessionTerminal
    from secondhop.cli.terminal import notices, screen

    console = notices() if common.json else screen()
    common = replace(common, sessions=sessions)

    async def work() -> "Resolution | None":
        if not dry_run:
            await expect_sessions(common)
        async with (
            opened_for_votes(common, dry_run=dry_run) as recall,
            recall.sessions.open(
                question, k=k, max_rounds=max_rounds, at=common.at
            ) as open_session,
            keys() as typed,
        ):
            shown = SessionTerminal(
                open_session, console, place=place_again(common), dry_run=dry_run
            )
            return await shown.run(typed)

    resolution = run(work())
    if common.json:
        tell(resolution, dry_run=dry_run)


def tell(resolution: "Resolution | None", *, dry_run: bool) -> None:
    """One document; `resolved` is null for a session that was given up."""
    from dataclasses import asdict

    from secondhop.cli.terminal import print_json

    dry = {"dry_run": True} if dry_run else {}
    if resolution is None:
        print_json({"resolved": None, "learned": None} | dry)
        return
    ended = resolution.session.model_dump(mode="json")
    learned = asdict(resolution.learned)
    print_json({"resolved": ended, "learned": learned} | dry)
