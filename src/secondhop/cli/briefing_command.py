"""`secondhop briefing`: what to know when a chat starts."""

from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common
from secondhop.cli.terminal import clean
from secondhop.cli.work import in_stored_memory, tell
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.briefing.briefing import Briefing


def briefing(
    common: Common,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Entries, core included. [20]")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Limit its text to N tokens instead.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Why each entry is here, and its id.")] = False,
) -> None:
    """Show what to know when a chat starts.

    Core memories, what was left open, preferences, and what is new. Writes nothing.
    """
    told = in_stored_memory(
        common,
        lambda recall: recall.memories.abriefing(limit=limit, tokens=tokens, at=common.at),
        counting=tokens is not None,
    )
    document = {**told.model_dump(mode="json"), "text": told.text}
    tell(common, document, lambda console: show_briefing(told, console, why=why))


def show_briefing(told: "Briefing", console: "Console", *, why: bool) -> None:
    """Print the briefing as it would be put into a prompt, and what was left out."""
    from secondhop.briefing.briefing import HEADINGS

    for category, heading in HEADINGS.items():
        own = [entry for entry in told.entries if entry.category == category]
        if own:
            console.print(heading, style="bold")
        for entry in own:
            console.print(clean(entry.line), soft_wrap=True)
            if why:
                reason = clean(f"{entry.id}, {entry.score:.3f}: {entry.why}")
                console.print(f"   {reason}", style="dim", soft_wrap=True)
    if not told.entries and not any(told.left_out.values()):
        fits = (
            f", or none of it fits into {counted(told.token_limit, 'token')}"
            if told.token_limit
            else ""
        )
        console.print(
            f"Nothing is stored for {clean(told.entity)} that a chat could start with{fits}.",
            soft_wrap=True,
        )
    for name, number in told.left_out.items():
        if number:
            console.print(f"No room for {number} more of: {name}.", style="dim")
