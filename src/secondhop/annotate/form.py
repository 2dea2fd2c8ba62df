"""Checks that a line has the form of a cue, because a model's output is not trusted."""

import re
from typing import Final

from secondhop.prompts.quoting import clean
from secondhop.stores.cues import Breadth

WORDS: Final[dict[Breadth, tuple[int, int]]] = {"specific": (3, 24), "broad": (2, 12)}
"""(fewest, most); wider than the prompt's 5 to 16 and 3 to 9, because small models count badly."""

CHARS: Final = (4, 180)
"""(fewest, most); this limit matters in languages that write without spaces."""

ROLE_CHARS: Final = 60

_NO_REQUEST: Final = re.compile(r"[<>{}\[\]|`\\]|https?:|www\.|[!-~]{40}", re.I)
"""Signs of markup, code or addresses, which no request has."""


def bare_line(text: str) -> str:
    """The text on one line, without the quotes and bullets that models put around it."""
    return " ".join(clean(text).split()).strip("\"'“”„«»*-• ").strip()


def fault(text: str, breadth: Breadth, *, tag: str) -> str:
    """Why a line is not a cue; "" if it may be one."""
    fewest, most = WORDS[breadth]
    words = len(text.split())
    if len(text) < CHARS[0] or (words < fewest and text.isascii()):
        return "too short for a request"
    if words > most or len(text) > CHARS[1]:
        return "too long for a request"
    if tag in text.casefold():
        return "it mentions the model call"
    if _NO_REQUEST.search(text):
        return "it is not a plain request"
    return ""


def role_line(text: str, *, tag: str) -> str:
    """The role in a few words; "" if the text cannot be a role."""
    role = bare_line(text)
    unfit = len(role) > ROLE_CHARS or tag in role.casefold() or _NO_REQUEST.search(role)
    return "" if unfit else role
