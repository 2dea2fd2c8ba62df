"""Cleans a text before it is stored, searched with, or compared."""

import re
from unicodedata import category

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text without NULs, with "\\n" between lines, and with valid Unicode.

    A surrogate pair becomes its character; a lone surrogate becomes U+FFFD.
    """
    if "\0" in text or "\r" in text:
        text = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: it is empty, or white space, control characters and
    invisible format characters.

    >>> is_blank(" \\u200b\\ufeff"), is_blank("\\u200ba")
    (True, False)
    """
    return all(char.isspace() or category(char) in {"Cc", "Cf"} for char in text)
