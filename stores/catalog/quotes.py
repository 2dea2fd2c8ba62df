"""Free-text reasons in the history that quote a memory: they go when it is forgotten."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from secondhop.stores.catalog.rows import MEMORY_COLUMNS, memory_of
from secondhop.stores.catalog.versions import earlier_texts
from secondhop.stores.records import Memory

QUOTED = 16
"""Letters and digits in a row that two texts share by quoting, hardly by chance."""
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"(?=\w*\d)\w{4,}")
"""A number, a password, a name with digits: one of them is a quote."""


def clear_quotes(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> None:
    """Empty the reasons that quote these memories, or were given for what involves them.

    Call it while the memories and their earlier texts still stand in the catalog.
    """
    texts = [text for one in memory_ids for text in _texts_of(connection, one)]
    reasons = connection.execute(
        """SELECT detail FROM history WHERE act IN ('superseded', 'deprecated') AND detail <> ''
        UNION SELECT deprecated_because FROM keeping WHERE deprecated_because <> ''"""
    ).fetchall()
    quoting = [(reason,) for (reason,) in reasons if quotes(reason, texts)]
    connection.executemany("UPDATE history SET detail = '' WHERE detail = ?", quoting)
    connection.executemany(
        "UPDATE keeping SET deprecated_because = '' WHERE deprecated_because = ?", quoting
    )
    connection.executemany(
        "UPDATE history SET detail = '' WHERE other_id = ? AND act = 'superseded'",
        [(one,) for one in memory_ids],
    )


def quotes(reason: str, texts: Iterable[str]) -> bool:
    """Whether a reason repeats words, or a number, of one of the texts.

    >>> quotes("the new code is 48151", ["The safe opens with 48151."])
    True
    >>> quotes("said: safe opens with a song", ["The safe opens with a song."])
    True
    >>> quotes("we bought another safe", ["The safe opens with a song."])
    False
    """
    said, codes = _letters(reason), set(_CODE.findall(reason.casefold()))
    parts = {said[at : at + QUOTED] for at in range(len(said) - QUOTED + 1)}
    spaced = f" {_spaced(reason)} "
    for text in texts:
        letters = _letters(text)
        if any(letters[at : at + QUOTED] in parts for at in range(len(letters) - QUOTED + 1)):
            return True
        if 0 < len(letters) < QUOTED and f" {_spaced(text)} " in spaced:
            return True
        if not codes.isdisjoint(_CODE.findall(text.casefold())):
            return True
    return False


def _texts_of(connection: sqlite3.Connection, memory_id: str) -> Iterator[str]:
    sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE memory_id = ?"
    row = connection.execute(sql, (memory_id,)).fetchone()
    present: list[Memory] = [] if row is None else [memory_of(row)]
    for memory in [*present, *(one.memory for one in earlier_texts(connection, memory_id))]:
        yield memory.title
        yield memory.value
        yield from (message.content for message in memory.messages)


def _spaced(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _letters(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))
