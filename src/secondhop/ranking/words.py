"""Words of a text in any script, for sets and shingles; the search index has its own tokeniser."""

import re
from unicodedata import normalize

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # CJK
    "\U00020000-\U0003fffd"  # rarer CJK
)
"""Scripts that put no space between words: each character counts as a word."""

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200c\u200d"
    "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
)
"""Vowel signs and marks that belong to the letter before them, but that `\\w` does not match."""

_MARK_IN_UNSPACED = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"

_ASCII_WORD = re.compile("[a-z0-9]+")
_WORD = re.compile(
    rf"[{_UNSPACED}][{_MARK_IN_UNSPACED}]*|(?:(?![{_UNSPACED}])(?:[^\W_]|[{MARKS}]))+"
)


def words(text: str) -> list[str]:
    """Words in order, case-folded and NFKC-normalised; [] for a text without letters or digits.

    >>> words("Don't panic: SSL_MODE=verify-full")
    ['dont', 'panic', 'ssl', 'mode', 'verify', 'full']
    >>> words("東京へ行く")
    ['東', '京', 'へ', '行', 'く']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower().replace("'", ""))
    folded = normalize("NFKC", text).casefold()
    return _WORD.findall(folded.replace("'", "").replace("’", ""))
