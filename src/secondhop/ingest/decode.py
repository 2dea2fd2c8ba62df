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
    """A text out of bytes."""

    text: str
    lost: int
    """Characters that could not be decoded, and stand as U+FFFD."""


def decode_text(raw: bytes) -> Decoded:
    """Decode by byte order mark, else as UTF-8, else as Windows-1252; NULs are dropped.

    A few bytes that do not fit the encoding become U+FFFD.

    Raises:
        UnicodeError: a binary file, or none of these encodings; the message is a reason to show.
    """
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return _mostly(raw, encoding)
    if raw.startswith(_MAGIC):
        raise UnicodeError("a binary file, not text")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return _not_utf8(raw)
    if _share(raw, b"\0") > 0.3:
        raise UnicodeError("a binary file, not text")
    return Decoded(_tidy(text), 0)


def _not_utf8(raw: bytes) -> Decoded:
    if _share(raw, bytes(c for c in range(32) if c not in _TEXT_CONTROLS)) > 0.02:
        raise UnicodeError("a binary file, not text")
    if _share(raw, b"\0") > 0.05:
        raise UnicodeError("a binary file, not text")
    repaired = raw.decode("utf-8", "replace")
    broken = repaired.count("\ufffd")
    sound = sum(not char.isascii() for char in repaired) - broken
    return _mostly(raw, "utf-8" if sound > broken else "cp1252")


def _mostly(raw: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_tidy(raw.decode(encoding)), 0)
    except UnicodeDecodeError as error:
        repaired = raw.decode(encoding, "replace")
        lost = repaired.count("\ufffd")
        if lost > _MOST_LOST * len(repaired):
            raise UnicodeError(
                f"cannot be decoded: neither UTF-8 nor {encoding} ({error.reason} at byte "
                f"{error.start}); save it as UTF-8"
            ) from error
        return Decoded(_tidy(repaired), lost)


def _share(raw: bytes, wanted: bytes) -> float:
    """Share of these byte values in the beginning of the file."""
    sample = raw[:_SAMPLE_BYTES]
    return (len(sample) - len(sample.translate(None, wanted))) / max(1, len(sample))


def _tidy(text: str) -> str:
    text = text.replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
