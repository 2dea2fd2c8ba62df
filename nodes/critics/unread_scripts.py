"""Sentences in a script of which the filter knows no word, amid text in another.

Whether they are orders, nobody here can tell; a diary that is kept in such a script is shown.
"""

import re
from collections.abc import Sequence
from typing import Final

_LETTER: Final = re.compile(r"[^\W\d_]")
_UNREAD: Final = re.compile(
    "(?![\u00aa-\u058f\u0590-\u06ff\u0750-\u077f\u08a0-\u09ff\u0e00-\u0e7f\u1d00-\u1fff\u2000-\u2bff"
    "\u2c60-\u2c7f\u2e80-\u9fff\ua720-\ua7ff\uab30-\uab6f\uac00-\ud7ff\uf900-\ufdff\ufe30-\uffef"
    "\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff\U00020000-\U0003fffd])[\u0530-\U0003ffff]"
)
"""A sign of a script without words in `order_words.py`: Armenian, Tamil, Georgian, Khmer, …"""

MOSTLY = 0.5
"""Share of a sentence's, or of a text's, letters."""


def unread_rows(sentences: Sequence[str]) -> set[int]:
    """Rows in scripts that cannot be checked; none where most of the text is in them."""
    if all(map(str.isascii, sentences)):
        return set()
    unread = [len(_UNREAD.findall(sentence)) for sentence in sentences]
    letters = [len(_LETTER.findall(sentence)) for sentence in sentences]
    if sum(unread) > MOSTLY * sum(letters):
        return set()
    return {row for row, count in enumerate(unread) if count and count > MOSTLY * letters[row]}
