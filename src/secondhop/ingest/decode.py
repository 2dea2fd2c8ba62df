"""From bytes to text, for files of unknown encoding."""

import codecs
from typing import NamedTuple

_BOMS = (  # UTF-32 first: its little-endian mark begins like the one of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"SQLite format 3\0",
)
_TEXT_CONTROLS = b"\t\n\r\f\b\x1b\0"
_SAMPLE_BYTES = 65_536
_MOST_LOST = 0.1
"""Share of characters that may be lost; a text of which more cannot be decoded is no text."""


class Decoded(NamedTuple):
    """The text of a file."""

    text: str
    """With "\\n" between lines, without NULs."""
    lost: int
    """Characters that cannot be decoded, and stand as U+FFFD."""


def decoded(raw: bytes) -> Decoded:
    """By byte order mark, else UTF-8, else Windows-1252.

    Raises:
        UnicodeError: a binary file, or none of these encodings; the message is a reason to show.
    """
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return _mostly(raw, name)
    nuls = _share(raw, b"\0")
    if raw.startswith(_MAGIC) or nuls > 0.3:
        raise UnicodeError("a binary file, not text")
    try:
        return Decoded(_plain(raw.decode("utf-8")), 0)
    except UnicodeDecodeError:
        controls = _share(raw, bytes(c for c in range(32) if c not in _TEXT_CONTROLS))
    if controls > 0.02 or nuls > 0.05:
        raise UnicodeError("a binary file, not text")
    repaired = raw.decode("utf-8", "replace")
    broken = repaired.count("\ufffd")
    sound = sum(not char.isascii() for char in repaired) - broken
    return _mostly(raw, "utf-8" if sound > broken else "cp1252")


def _mostly(raw: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_plain(raw.decode(encoding)), 0)
    except UnicodeDecodeError as error:
        fault = error
    text = _plain(raw.decode(encoding, "replace"))
    lost = text.count("\ufffd")
    if lost > _MOST_LOST * len(text):
        raise UnicodeError(
            f"cannot be decoded: neither UTF-8 nor {encoding} ({fault.reason}); save it as UTF-8"
        ) from fault
    return Decoded(text, lost)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _share(raw: bytes, wanted: bytes) -> float:
    """Share of these byte values in the beginning of the file."""
    sample = raw[:_SAMPLE_BYTES]
    return (len(sample) - len(sample.translate(None, wanted))) / max(1, len(sample))
