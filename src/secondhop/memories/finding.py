"""Finds memories by words that a person remembers of them: exactly, without embeddings."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from secondhop.errors import NotStoredError, UsageError
from secondhop.memories.records import Version
from secondhop.stores.titles import first_words
from secondhop.wording import command, counted

if TYPE_CHECKING:
    from secondhop.memories.service import MemoryService

NAMED = 5
"""The most memories that an error message lists."""


def with_words(versions: Iterable[Version], words: str) -> list[Version]:
    """The memories with all these words, nearest first; ties newest first."""
    ranked = [(distance(one, words), one) for one in versions]
    found = [(far, one) for far, one in ranked if far is not None]
    newest = sorted(found, key=lambda pair: pair[1].created_at, reverse=True)
    return [one for _, one in sorted(newest, key=lambda pair: pair[0])]


def distance(version: Version, words: str) -> int | None:
    """How far a memory is from the words; None if it lacks one of them.

    0: they are its id; 1: they are its title; 2: its title has them in a row, as whole words;
    3: its text does; 4: its title contains them all; 5: title, text and id together do. Case
    matters only for 0.
    """
    said, title = words.casefold().split(), version.title.casefold()
    text = version.text.casefold()
    if version.memory_id == words:
        return 0
    if said and title.split() == said:
        return 1
    in_a_row = r"(?<!\w)" + r"\s+".join(map(re.escape, said)) + r"(?!\w)"
    for far, where in ((2, title), (3, text)):
        if said and re.search(in_a_row, where):
            return far
    for far, where in ((4, title), (5, f"{title} {text} {version.memory_id.casefold()}")):
        if all(word in where for word in said):
            return far
    return None


TITLE = 1
"""The distance of a title; see `distance`."""


async def id_of(memories: "MemoryService", words: str, *, at_most: int | None = None) -> str:
    """The id of the memory that has this id, title or words.

    Args:
        at_most: the greatest `distance`; None: any.

    Raises:
        NotStoredError: no memory matches.
        UsageError: several match equally well; the message lists their ids.
    """
    found = await memories.afind(words)
    if at_most is not None:
        found = [one for one in found if distance(one, words) in range(at_most + 1)]
    if not found:
        raise NotStoredError(f"no stored memory has the id, the title or the words {words!r}")
    nearest = [one for one in found if distance(one, words) == distance(found[0], words)]
    if len(nearest) == 1:
        return nearest[0].memory_id
    names = [(one.memory_id, one.title or first_words(one.text)) for one in nearest[:NAMED]]
    listed = "; ".join(f"{memory_id!r} “{name}”" for memory_id, name in names)
    raise UsageError(
        f"{counted(len(nearest), 'memory')} have the words {words!r}; give the id of one: {listed}"
        + (f"; {command('list', words)} lists them all" if len(nearest) > NAMED else "")
    )
