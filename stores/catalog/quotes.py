"""What quotes a memory; when it is forgotten, removes the reasons in the history that do."""

import re
from collections.abc import Iterable, Iterator, Sequence

from secondhop.stores.catalog import reads as catalog_reads
from secondhop.stores.catalog.rows import text_of
from secondhop.stores.catalog.versions import earlier_texts
from secondhop.stores.database import Connection
from secondhop.stores.records import Memory

QUOTED = 16
"""Two texts that share this many letters and digits in a row do so by quoting, not by chance."""
SAYS_SOMETHING = 3
"""A sentence of this many words is told apart from others by its words ("Thank you" is not)."""
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"""[.!?…\n"“”]+""")
_QUOTATION = re.compile(r'"([^"\n]+)"')
_CODE = re.compile(r"\b(?=\w*\d)\w{4,}")
"""A number, a password or a name with digits. A single one is a quote."""


def clear_quotes(connection: Connection, memory_ids: Sequence[str]) -> None:
    """Empty the reasons that quote these memories, and the reasons why they superseded others.

    Call it while the memories and their earlier texts are still in the catalog.
    """
    connection.executemany(
        "UPDATE history SET detail = '' WHERE other_id = ? AND act = 'superseded'",
        [(one,) for one in memory_ids],
    )
    rows = connection.execute(
        """SELECT detail FROM history WHERE act IN ('superseded', 'deprecated') AND detail <> ''
        UNION SELECT deprecated_because FROM keeping WHERE deprecated_because <> ''"""
    ).fetchall()
    if not rows:
        return
    texts = (text for one in memory_ids for text in _texts_of(connection, one))
    reasons = [text_of(reason) for (reason,) in rows]
    found = [(reason,) for reason in quoting(reasons, texts)]
    connection.executemany("UPDATE history SET detail = '' WHERE detail = ?", found)
    connection.executemany(
        "UPDATE keeping SET deprecated_because = '' WHERE deprecated_because = ?", found
    )


def quoting(reasons: Sequence[str], texts: Iterable[str]) -> set[str]:
    """The reasons that repeat words, or a number, of one of the texts.

    >>> quoting(["the new code is 48151", "another safe"], ["The safe opens with 48151."])
    {'the new code is 48151'}
    >>> quoting(["said: safe opens with a song"], ["The safe opens with a song."])
    {'said: safe opens with a song'}
    """
    parts: dict[str, set[str]] = {}
    for reason in reasons:
        for part in [*_runs(reason), *_CODE.findall(reason.casefold())]:
            parts.setdefault(part, set()).add(reason)
    spaced = {reason: f" {_spaced(reason)} " for reason in reasons}
    found: set[str] = set()
    for text in texts:
        for part in [*_runs(text), *_CODE.findall(text.casefold())]:
            found |= parts.get(part, set())
        if 0 < len(_letters(text)) < QUOTED:
            words = f" {_spaced(text)} "
            found |= {reason for reason, own in spaced.items() if words in own}
    return found


def says(text: str, memory: Memory) -> bool:
    """Whether the text seems to say what a memory says: one of the user's messages word for word,
    or, of a fact, its attribute and value close to each other, or the words that it came from.

    A message of one or two words counts only if it holds a code.
    """
    spaced = f" {_spaced(text)} "
    own = [message.content for message in memory.messages if message.role == "user"]
    if memory.value:
        about, value = re.escape(_spaced(memory.attribute)), re.escape(_spaced(memory.value))
        near = rf" (?:{about} (?:\S+ ){{0,3}}{value}|{value} (?:\S+ ){{0,3}}{about}) "
        if re.search(near, spaced):
            return True
        own = [words for one in own for words in _QUOTATION.findall(one)]
    said = [_spaced(one) for one in own]
    return any(
        f" {one} " in spaced
        for one in said
        if one.count(" ") + 1 >= SAYS_SOMETHING or _CODE.search(one)
    )


def with_sentences(text: str) -> list[str]:
    """The text, and those of its sentences and quotations that say something on their own."""
    parts = [one.strip() for one in _SENTENCE_END.split(text)]
    return [text, *(one for one in parts if len(_WORD.findall(one)) >= SAYS_SOMETHING)]


def _texts_of(connection: Connection, memory_id: str) -> Iterator[str]:
    present = catalog_reads.memory(connection, memory_id)
    earlier = [one.memory for one in earlier_texts(connection, memory_id)]
    for memory in [present, *earlier] if present else earlier:
        if len(memory.title) >= QUOTED:  # a title like "Home" is no quote
            yield memory.title
        yield memory.value
        yield from (message.content for message in memory.messages)


def _runs(text: str) -> Iterator[str]:
    letters = _letters(text)
    return (letters[at : at + QUOTED] for at in range(len(letters) - QUOTED + 1))


def _spaced(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _letters(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))
