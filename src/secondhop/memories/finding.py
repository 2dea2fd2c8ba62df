"""Memories by the words that a person remembers of them: without embeddings, and exactly."""

from collections.abc import Iterable, Sequence

from secondhop.errors import NotStoredError, UsageError
from secondhop.memories.records import Version
from secondhop.wording import command, counted

NAMED = 5
"""Memories that a message lists, of those that are meant."""


def with_words(versions: Iterable[Version], words: str) -> list[Version]:
    """The memories that have all these words, the nearest first; of equals the newest."""
    ranked = [(distance(one, words), one) for one in versions]
    found = [(far, one) for far, one in ranked if far is not None]
    newest = sorted(found, key=lambda pair: pair[1].created_at, reverse=True)
    return [one for _, one in sorted(newest, key=lambda pair: pair[0])]


def distance(version: Version, words: str) -> int | None:
    """How far a memory is from the words; None: it lacks one of them. Case does not matter.

    0: they are its id; 1: its title; 2: its title has them all; 3: title, text and id together do.
    """
    said, title = words.casefold().split(), version.title.casefold()
    if version.memory_id == words:
        return 0
    if said and title.split() == said:
        return 1
    everything = f"{title} {version.text.casefold()} {version.memory_id.casefold()}"
    for far, where in ((2, title), (3, everything)):
        if all(word in where for word in said):
            return far
    return None


def meant(found: Sequence[Version], words: str) -> Version:
    """The one memory that is nearest to the words.

    Args:
        found: those that have them, the nearest first.

    Raises:
        NotStoredError: none has them.
        UsageError: several are equally near; the message lists their ids.
    """
    if not found:
        raise NotStoredError(f"no stored memory has the id, the title or the words {words!r}")
    nearest = [one for one in found if distance(one, words) == distance(found[0], words)]
    if len(nearest) == 1:
        return nearest[0]
    listed = "; ".join(f"{one.memory_id!r} “{one.title}”" for one in nearest[:NAMED])
    raise UsageError(
        f"{counted(len(nearest), 'memory')} have the words {words!r}; give the id of one: {listed}"
        + (f"; {command('list', words)} lists them all" if len(nearest) > NAMED else "")
    )
