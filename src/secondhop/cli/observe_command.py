"""`secondhop observe FILE|-`: memories from a conversation."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.given_text import PIPE, given_text
from secondhop.cli.options import Common, DryRun
from secondhop.cli.work import in_memory, tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.observe.records import Observed
    from secondhop.recall import Recall


def observe(
    common: Common,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Messages as JSON; - is standard input.")
    ],
    keep_as: Annotated[
        str, typer.Option(metavar="ID", help="Keep the conversation itself, too, as this memory.")
    ] = "",
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="Title of that memory. [the first words]")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Store what a conversation states.

    Facts, preferences, things to remember. FILE is a JSON list of {"role", "content", "at"}, or
    one such object a line. Nothing is overwritten, and repeated messages write nothing.
    """
    from secondhop.cli.observe_view import show_observed

    messages = messages_in(
        given_text(file, wanted=SHAPES), name="standard input" if file == PIPE else file
    )

    async def work(recall: "Recall") -> "Observed":
        return await recall.memories.aobserve(
            messages, at=common.at, keep_as=keep_as, title=title, dry_run=dry_run
        )

    told = in_memory(common, work, counting=True)
    tell(common, told, lambda console: show_observed(told, console))


SHAPES = 'give a JSON list of {"role": ..., "content": ..., "at": ...}, or one such object a line'


def messages_in(text: str, *, name: str) -> list[Any]:
    """The messages of a JSON list, or of JSON Lines."""
    from secondhop.ingest.json_text import parse_json

    lines = text.splitlines() if not text.lstrip().startswith("[") else [text]
    found: list[Any] = []
    for number, line in enumerate(lines, start=1):
        try:
            found += [parse_json(line)] if line.strip() else []
        except ValueError as error:
            where = f"line {number} of {name}" if len(lines) > 1 else name
            raise UsageError(f"{where} is not JSON: {error}; {SHAPES}") from error
    messages: list[Any] = [*found[0]] if found and isinstance(found[0], list) else found
    if not messages:
        raise UsageError(f"{name} holds no message; {SHAPES}")
    return messages
