"""The command `session`: a recall that is voted on, key by key."""

from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.errors import UsageError
from secondhop.interfaces.options import Common

if TYPE_CHECKING:
    from secondhop.session_learning import Resolution


def session(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    k: Annotated[int | None, typer.Option(min=1, metavar="N", help="Memories a round. [5]")] = None,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Answers at most. [4]")
    ] = None,
) -> None:
    """Recall on second thought: vote on what came, and look again.

    Keys, or lines of them on standard input: h w c x s vote, n next round, r resolve, q quit.
    """
    from secondhop.interfaces.opening import opened, run
    from secondhop.interfaces.session_keys import keys
    from secondhop.interfaces.session_terminal import SessionTerminal
    from secondhop.interfaces.terminal import notices, screen

    if not question.strip():
        raise UsageError("the question is empty; ask something")
    console = notices() if common.json else screen()

    async def work() -> "Resolution | None":
        async with (
            opened(common) as recall,
            recall.session(question, k=k, max_rounds=max_rounds, at=common.at) as open_session,
            keys() as typed,
        ):
            return await SessionTerminal(open_session, console).run(typed)

    resolution = run(work())
    if common.json:
        tell(resolution)


def tell(resolution: "Resolution | None") -> None:
    """One document; `resolved` is null for a session that was given up."""
    from dataclasses import asdict

    from secondhop.interfaces.terminal import print_json

    if resolution is None:
        print_json({"resolved": None, "learned": None})
        return
    ended = resolution.session.model_dump(mode="json")
    print_json({"resolved": ended, "learned": asdict(resolution.learned)})
