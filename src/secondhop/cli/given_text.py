"""Text that a command is given in a file, or in standard input."""

import sys
from pathlib import Path

from secondhop.errors import UsageError

PIPE = "-"
"""Stands for standard input."""


def given_text(file: str, *, wanted: str) -> str:
    """The text of a file, or of standard input for "-"; `wanted` says what else to give."""
    try:
        raw = sys.stdin.buffer.read() if file == PIPE else Path(file).expanduser().read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file!r} is not UTF-8 text (byte {error.start}): {wanted}") from error


def given_words(text: str) -> str:
    """The words of an argument; for "-" those of standard input."""
    return given_text(PIPE, wanted="give it as UTF-8").strip() if text == PIPE else text
