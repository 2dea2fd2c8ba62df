"""`secondhop observe FILE|-`: memories from a conversation."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.options import Common, DryRun
from secondhop.cli.work import in_memory, tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.observe.records import Observed
    from secondhop.recall import Recall

MAX_MB = 64
"""Of input; a conversation is never that long."""


def observe(
    common: Common,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Messages as JSON; - is standard input.")
    ],
    keep_as: Annotated[
        str, typer.Option(metavar="ID", help="Keep the conversation itself, too, as this memory.")
    ] = "",
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="Of that memory. [the first words]")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Store what a conversation states.

    Facts, preferences, things to remember. FILE is a JSON list of {"role", "content", "at"}, or
    one such object a line. Nothing is overwritten, and the same messages again write nothing.
    """
    from secondhop.cli.observe_view import show_observed

    messages = messages_in(given_text(file), name="standard input" if file == "-" else file)

    async def work(recall: "Recall") -> "Observed":
        return await recall.memories.aobserve(
            messages, at=common.at, keep_as=keep_as, title=title, dry_run=dry_run
        )

    told = in_memory(common, work, counting=True)
    tell(common, told, lambda console: show_observed(told, console))


def given_text(file: str) -> str:
    """What stands in the file, or comes from standard input.

    Raises:
        UsageError: there is no such file, it is huge, or no UTF-8 text.
    """
    limit = MAX_MB * 1_000_000
    try:
        if file == "-":
            raw = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(file).expanduser().open("rb") as source:
                raw = source.read(limit + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file!r}: {error.strerror}") from error
    if len(raw) > limit:
        raise UsageError(f"{file!r} has more than {MAX_MB} MB; give one conversation at a time")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file!r} is no UTF-8 text (byte {error.start}): {SHAPES}") from error


SHAPES = 'give a JSON list of {"role": ..., "content": ..., "at": ...}, or one such object a line'


def messages_in(text: str, *, name: str) -> list[Any]:
    """The messages of a JSON list, of an object that holds "messages", or of lines of JSON.

    Raises:
        UsageError: none of these, or no message.
    """
    from secondhop.ingest.json_text import parse_json

    if not text.strip():
        raise UsageError(f"{name} is empty; {SHAPES}")
    try:
        whole = parse_json(text)
    except ValueError as error:
        return lines_in(text, name=name, fault=str(error))
    if isinstance(whole, dict):
        whole = [whole] if "role" in whole else whole.get("messages")
    if not isinstance(whole, list):
        raise UsageError(f"{name} holds no list of messages; {SHAPES}")
    if not whole:
        raise UsageError(f"{name} holds no message; {SHAPES}")
    return list(whole)


def lines_in(text: str, *, name: str, fault: str) -> list[Any]:
    """One message a line.

    Raises:
        UsageError: a line that is no JSON; where the text is no JSON lines at all, `fault`.
    """
    from secondhop.ingest.json_text import parse_json

    found: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(parse_json(line))
        except ValueError as error:
            if not found:
                raise UsageError(f"{name} is no JSON: {fault}; {SHAPES}") from error
            raise UsageError(f"line {number} of {name} is no JSON: {error}; {SHAPES}") from error
    return found
