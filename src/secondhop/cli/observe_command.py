"""`secondhop observe FILE|-`: memories from a conversation."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

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

    messages = messages_in(given_text(file), name="standard input" if file == "-" else file)

    async def work(recall: "Recall") -> "Observed":
        return await recall.memories.aobserve(
            messages, at=common.at, keep_as=keep_as, title=title, dry_run=dry_run
        )

    told = in_memory(common, work, counting=True)
    tell(common, told, lambda console: show_observed(told, console))


SHAPES = 'give a JSON list of {"role": ..., "content": ..., "at": ...}, or one such object a line'


def given_text(file: str) -> str:
    """The text of a file, or of standard input for "-".

    Raises:
        UsageError: the file cannot be read, or is not UTF-8.
    """
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file!r} is not UTF-8 text (byte {error.start}): {SHAPES}") from error


def messages_in(text: str, *, name: str) -> list[Any]:
    """The messages of a JSON list, of an object with "messages", or of JSON Lines.

    Raises:
        UsageError: the text is none of these, or holds no message.
    """
    from secondhop.ingest.json_text import parse_json

    if not text.strip():
        raise UsageError(f"{name} is empty; {SHAPES}")
    try:
        found: Any = parse_json(text)
    except ValueError as fault:
        found = lines_in(text, name=name, fault=str(fault))
    if isinstance(found, dict):
        named = cast(dict[str, Any], found)
        found = [named] if "role" in named else named.get("messages")
    if not isinstance(found, list):
        raise UsageError(f"{name} holds no list of messages; {SHAPES}")
    messages = cast(Sequence[Any], found)
    if not messages:
        raise UsageError(f"{name} holds no message; {SHAPES}")
    return [*messages]


def lines_in(text: str, *, name: str, fault: str) -> list[Any]:
    """One message per line.

    Raises:
        UsageError: a line is not JSON. If it is the first one, the error shows `fault`, the error
            of the text as a whole.
    """
    from secondhop.ingest.json_text import parse_json

    found: list[Any] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            found += [parse_json(line)] if line.strip() else []
        except ValueError as error:
            where, said = (f"line {number} of {name}", error) if found else (name, fault)
            raise UsageError(f"{where} is not JSON: {said}; {SHAPES}") from error
    return found
