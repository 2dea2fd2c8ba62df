"""Writes to terminals and pipes, and removes control sequences from memory text."""

import json
import os
import re
import sys
import unicodedata
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from secondhop.wording import beginning

if TYPE_CHECKING:
    from rich.console import Console

ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
"""Colours and cursor moves (CSI), titles and links (OSC): ECMA-48."""

PIPED_WIDTH = 10_000
"""Width of a file or pipe in columns, so large that nothing is cut."""

BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def clean(text: str) -> str:
    """Text as one line without terminal controls, direction overrides or lone surrogates.

    >>> clean("a\\x1b[31mred\\n\\tline")
    'ared line'
    """
    if text.isprintable() and text.isascii():
        return " ".join(text.split())
    plain = ESCAPE_SEQUENCE.sub("", text)
    return " ".join("".join(visible(char) for char in plain).split())


def visible(char: str) -> str:
    """The character; a space for white space; "" for one that would control the terminal."""
    if char.isspace():
        return " "
    hidden = unicodedata.category(char) in {"Cc", "Cs"} or char in BIDI_CONTROLS
    return "" if hidden else char


def shorten(text: str, length: int) -> str:
    """At most `length` characters of the cleaned text, cut at a word, with an ellipsis.

    >>> shorten("one two three", 9)
    'one two…'
    """
    return beginning(clean(text), length)


def screen() -> "Console":
    """Standard output for people, without markup, highlighting or emoji codes."""
    return console_on(sys.stdout)


def notices() -> "Console":
    """Standard error for people: progress and messages."""
    return console_on(sys.stderr)


def console_on(stream: TextIO) -> "Console":
    """A console that writes "?" for characters that the stream's encoding lacks."""
    from rich.console import Console

    class Quiet(Console):
        """Raises for a closed pipe; Rich itself would exit with status 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    use_stand_ins(stream)
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH
    return Quiet(file=stream, markup=False, highlight=False, emoji=False, width=width)


def use_stand_ins(stream: TextIO) -> None:
    """Make the stream write "?" for characters that its encoding lacks."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")


def print_json(document: object) -> None:
    """Print one JSON document on standard output, in ASCII, so that any encoding will do."""
    print(json.dumps(document, indent=2, ensure_ascii=True))
