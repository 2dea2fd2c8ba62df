"""Commands that a message advises, with the options that find the same memory again."""

import re
from shlex import quote
from typing import TYPE_CHECKING

from secondhop.stores.store_address import shown_store

if TYPE_CHECKING:
    from secondhop.cli.options import Common

ADVISED = re.compile(r"""`(secondhop (?!eval|models|prompts|tokens)(?:'[^']*'|"[^"]*"|[^`'"])+)`""")
"""A command on a memory, in backquotes; its quoted words may hold some."""


def place_again(common: "Common") -> str:
    """The given options that open this memory, for a command to type next; "" if none."""
    named = {
        "store": common.store and shown_store(common.store),
        "chroma": common.chroma,
        "entity": common.entity,
        "embedder": common.embedder,
    }
    return "".join(f" --{name} {quote(str(value))}" for name, value in named.items() if value)


def with_place(text: str, place: str) -> str:
    """The text with these options in the commands that it advises; those that name a store stay.

    >>> with_place("ask `secondhop recall 'what to pack?'` again", " --entity mara")
    "ask `secondhop recall 'what to pack?' --entity mara` again"
    """
    return ADVISED.sub(
        lambda found: found[0] if " --store " in found[1] else f"`{found[1]}{place}`", text
    )


def without_commands(text: str) -> str:
    """The text without the commands after a colon, for a store that is gone when it is read.

    >>> without_commands("a cue lifts it: `secondhop cues m-1 --add 'a request'`")
    'a cue lifts it'
    """
    return re.sub(": " + ADVISED.pattern, "", text)
