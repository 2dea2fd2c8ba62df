"""Decodes files of unknown encoding."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import NamedTuple, TypeAlias

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b")
_MOST_CONTROLS = 0.05
"""Highest share of control characters in the first part of a text."""


class Encoding(NamedTuple):
    """How bytes become text."""

    name: str
    lost: int
    """Number of characters that cannot be decoded and become U+FFFD."""


Read: TypeAlias = Callable[[], Iterator[bytes]]
"""Reads a file from its beginning, a part at a time."""


def encoding_of(read: Read) -> Encoding:
    """The encoding by byte order mark, or else UTF-8, or else Windows-1252.

    Broken UTF-8 counts as UTF-8 if more of its non-ASCII characters decode than not. Only one part
    is in RAM at a time.

    Raises:
        UnicodeError: a binary file; the message is fit to show.
    """
    head = next(read(), b"")
    for mark, name in _BOMS:
        if head.startswith(mark):
            return Encoding(name, _counts(read, name)[0])
    if len(head.translate(None, _CONTROLS)) < (1 - _MOST_CONTROLS) * len(head):
        raise UnicodeError("a binary file, not text")
    lost, sound = _counts(read, "utf-8")
    if not lost or sound > lost:
        return Encoding("utf-8", lost)
    return Encoding("cp1252", _counts(read, "cp1252")[0])


def decoded(parts: Iterable[bytes], encoding: str) -> Iterator[str]:
    """The text, part by part, with "\\n" between lines and without NULs.

    Bytes that do not fit the encoding become U+FFFD.
    """
    decoder = IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), True)
    for part in parts:
        yield decoder.decode(part).replace("\0", "")
    yield decoder.decode(b"", final=True).replace("\0", "")


def _counts(read: Read, encoding: str) -> tuple[int, int]:
    """(Characters that cannot be decoded, characters beyond ASCII that can)."""
    lost = sound = 0
    for part in decoded(read(), encoding):
        faults = part.count("\ufffd")
        lost += faults
        sound += len(part) - len(part.encode("ascii", "ignore")) - faults
    return lost, sound
