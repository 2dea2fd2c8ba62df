"""Formats numbers, reasons and commands for people."""

import shlex
from collections.abc import Iterable

NOTHING_YET = "Nothing is stored about this person yet."
"""What an agent reads that asks an empty memory."""


def counted(number: int, thing: str, things: str = "") -> str:
    """A number and what it counts; `things` is the plural if it is irregular.

    >>> counted(1, "query"), counted(2, "query"), counted(0, "branch"), counted(1_000, "day")
    ('1 query', '2 queries', '0 branches', '1,000 days')
    """
    if number == 1:
        return f"1 {thing}"
    if things:
        return f"{number:,} {things}"
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{number:,} {thing[:-1]}ies"
    return f"{number:,} {thing}{'es' if thing.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def as_typed(*words: str) -> str:
    """A secondhop command, quoted for a shell.

    >>> as_typed("cues", "Ana allergy.md", "--add", "plan a dinner")
    "secondhop cues 'Ana allergy.md' --add 'plan a dinner'"
    """
    return shlex.join(["secondhop", *words])


def command(*words: str) -> str:
    """A secondhop command in backquotes, for use in a sentence."""
    return f"`{as_typed(*words)}`"


def beginning(text: str, characters: int) -> str:
    """The beginning, at most `characters` long with its "…", cut after a word.

    >>> beginning("one two three", 9)
    'one two…'
    """
    if len(text) <= characters:
        return text
    head = text[: characters - 1]
    return f"{head.rpartition(' ')[0].rstrip() or head}…"


def shown(given: object) -> str:
    """The value's first 40 characters and its type, for an error message: `'6' (str)`."""
    return f"{repr(given)[:40]} ({type(given).__name__})"


NO_VOTES = "; no votes were cast"
"""Ending of the reason for a recall whose critic failed."""


_MODEL_STEPS = {
    "decompose": "the model's plan",
    "expand": "the model's plan",
    "critique": "the model's votes",
}


def causes_once(reasons: Iterable[str]) -> list[str]:
    """Reasons of the form "step: cause", merged: each cause once, after all that it prevented.

    >>> causes_once(["critique: HTTP 401; no votes were cast", "expand: HTTP 401"])
    ["the model's votes, the model's plan: HTTP 401"]
    """
    prevented: dict[str, list[str]] = {}
    for reason in reasons:
        step, colon, cause = reason.partition(": ")
        known = prevented.setdefault(cause.removesuffix(NO_VOTES) if colon else "", [])
        known.append(_MODEL_STEPS.get(step, step) if colon else reason)
    alone = prevented.pop("", [])
    told = ((", ".join(dict.fromkeys(named)), cause) for cause, named in prevented.items())
    return [*alone, *(f"{named}: {cause}" for named, cause in told)]
