"""Decodes files of unknown encoding."""

import codecs
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import NamedTuple, TypeAlias

_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
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
"""Highest share of characters that may fail to decode; with more, the file is not read."""


_MOST_ODD = 0.05
"""Highest share of unassigned or private-use characters. In random UTF-16 it is about a seventh."""


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
        UnicodeError: a binary file, or none of these encodings; the message is fit to show.
    """
    head = next(read(), b"")
    for mark, name in _BOMS:
        if head.startswith(mark) and _reads_as_text(head, name):
            return _mostly(read, name)
    nuls = _share(head, b"\0")
    if head.startswith(_MAGIC) or nuls > 0.3:
        raise UnicodeError("a binary file, not text")
    if _fault(read, "utf-8") is None:
        return Encoding("utf-8", 0)
    controls = _share(head, bytes(c for c in range(32) if c not in _TEXT_CONTROLS))
    if controls > 0.02 or nuls > 0.05:
        raise UnicodeError("a binary file, not text")
    repaired = [(part.count("\ufffd"), _beyond_ascii(part)) for part in decoded(read(), "utf-8")]
    broken = sum(lost for lost, _ in repaired)
    sound = sum(beyond for _, beyond in repaired) - broken
    return _mostly(read, "utf-8" if sound > broken else "cp1252")


def decoded(parts: Iterable[bytes], encoding: str) -> Iterator[str]:
    """The text, part by part, with "\\n" between lines and without NULs.

    Bytes that do not fit the encoding become U+FFFD.
    """
    decoder = IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), True)
    for part in parts:
        yield decoder.decode(part).replace("\0", "")
    yield decoder.decode(b"", final=True).replace("\0", "")


def _reads_as_text(head: bytes, encoding: str) -> bool:
    """Whether few characters are unassigned or private. Random bytes decode as UTF-16, too."""
    text = next(decoded([head[:_SAMPLE_BYTES]], encoding))
    odd = sum(unicodedata.category(char) in ("Cn", "Co", "Cs") for char in text)
    return odd <= _MOST_ODD * len(text)


def _mostly(read: Read, encoding: str) -> Encoding:
    fault = _fault(read, encoding)
    if fault is None:
        return Encoding(encoding, 0)
    counts = [(part.count("\ufffd"), len(part)) for part in decoded(read(), encoding)]
    lost = sum(count for count, _ in counts)
    if lost > _MOST_LOST * sum(length for _, length in counts):
        raise UnicodeError(
            f"cannot be decoded: neither UTF-8 nor {encoding} ({fault.reason}); save it as UTF-8"
        ) from fault
    return Encoding(encoding, lost)


def _fault(read: Read, encoding: str) -> UnicodeDecodeError | None:
    """The first decoding error in this encoding; None if there is none."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for part in read():
            decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return error
    return None


def _beyond_ascii(text: str) -> int:
    return 0 if text.isascii() else sum(not char.isascii() for char in text)


def _share(raw: bytes, wanted: bytes) -> float:
    """Share of these byte values in the first `_SAMPLE_BYTES`."""
    sample = raw[:_SAMPLE_BYTES]
    return (len(sample) - len(sample.translate(None, wanted))) / max(1, len(sample))
