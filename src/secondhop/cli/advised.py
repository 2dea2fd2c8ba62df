"""Adds options to the commands that a message suggests, so that they open the same store."""

import re
from shlex import quote, split
from typing import TYPE_CHECKING

from secondhop.stores.store_address import shown_store

if TYPE_CHECKING:
    from secondhop.cli.options import Common

ADVISED = re.compile(r"""`(secondhop (?!eval|models|prompts|tokens)(?:'[^']*'|"[^"]*"|[^`'"])+)`""")
"""A suggested command in backquotes that opens a store; its quoted words may hold backquotes."""


def place_again(common: "Common") -> str:
    """The given options that the next command needs to open the same store; "" if none."""
    named = {
        "store": common.store and shown_store(common.store),
        "chroma": common.chroma,
        "entity": common.entity,
        "embedder": common.embedder,
    }
    return "".join(f" --{name} {quote(str(value))}" for name, value in named.items() if value)


def with_place(text: str, place: str) -> str:
    """The text with these options added to its commands, except those that name a store.

    >>> with_place("ask `secondhop recall 'what to pack?'` again", " --entity mara")
    "ask `secondhop recall 'what to pack?' --entity mara` again"
    >>> with_place("`secondhop recall 'does it run with --store here?'`", " --entity mara")
    "`secondhop recall 'does it run with --store here?' --entity mara`"
    """
    return ADVISED.sub(
        lambda found: found[0] if "--store" in split(found[1]) else f"`{found[1]}{place}`", text
    )


def without_commands(text: str) -> str:
    """The text without the commands after a colon, for a store that will be gone by then.

    >>> without_commands("add a cue: `secondhop cues m-1 --add 'a request'`")
    'add a cue'
    """
    return re.sub(": " + ADVISED.pattern, "", text)
