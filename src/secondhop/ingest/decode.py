"""From bytes to text, for files whose encoding nobody wrote down."""

import codecs

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


def decode_text(raw: bytes) -> str:
    """Decode by byte order mark, else as UTF-8, else as Windows-1252; NULs are dropped.

    A file that is UTF-8 but for a few bytes stays UTF-8, with U+FFFD for these.

    Raises:
        UnicodeError: a binary file, or none of these encodings; the message is a reason to show.
    """
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return _tidy(_strictly(raw, encoding))
    if raw.startswith(_MAGIC):
        raise UnicodeError("a binary file, not text")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return _tidy(_not_utf8(raw))
    if _share(raw, b"\0") > 0.3:
        raise UnicodeError("a binary file, not text")
    return _tidy(text)


def _not_utf8(raw: bytes) -> str:
    if _share(raw, bytes(c for c in range(32) if c not in _TEXT_CONTROLS)) > 0.02:
        raise UnicodeError("a binary file, not text")
    if _share(raw, b"\0") > 0.05:
        raise UnicodeError("a binary file, not text")
    repaired = raw.decode("utf-8", "replace")
    broken = repaired.count("\ufffd")
    sound = sum(not char.isascii() for char in repaired) - broken
    return repaired if sound > broken else _strictly(raw, "cp1252")


def _strictly(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnicodeError(
            f"cannot be decoded: neither UTF-8 nor {encoding} ({error.reason} at byte "
            f"{error.start}); save it as UTF-8"
        ) from error


def _share(raw: bytes, wanted: bytes) -> float:
    """Share of these byte values in the beginning of the file."""
    sample = raw[:_SAMPLE_BYTES]
    return (len(sample) - len(sample.translate(None, wanted))) / max(1, len(sample))


def _tidy(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
