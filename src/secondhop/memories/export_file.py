"""The file of an export: written completely or not at all."""

import errno
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path

from secondhop.errors import StoreError, StoreFullError, UsageError

_ANOTHER = "give a file that `secondhop export` wrote"


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines to a file; an older file stays until all of them are written.

    Raises:
        UsageError: it is a folder, or its folder does not exist.
        StoreFullError: the disk is full; nothing of the export stays.
        StoreError: the file cannot be written; nothing of the export stays.
    """
    place = path.expanduser()
    if place.is_dir():
        raise UsageError(f"cannot export to {path}: it is a folder; name a file in it")
    if not place.parent.is_dir():
        raise UsageError(
            f"cannot export to {path}: {place.parent} is not a folder; create it first"
        )
    try:
        _replace(place.resolve(), lines)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(
                f"no space is left to export to {path}; free some, or name a file on another disk"
            ) from error
        raise StoreError(
            f"cannot export to {path}: {error.strerror}; name a file that can be written"
        ) from error


def _replace(place: Path, lines: Iterable[str]) -> None:
    is_device = place.exists() and not place.is_file()
    draft = place if is_device else place.with_name(f".{place.name[:100]}.{uuid.uuid4().hex}")
    try:
        with draft.open("w", encoding="ascii", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        if is_device:
            return
        if place.exists():
            shutil.copymode(place, draft)
        draft.replace(place)
    finally:
        if not is_device:
            draft.unlink(missing_ok=True)


def read_lines(path: Path) -> list[str]:
    """The lines of an export.

    Raises:
        UsageError: it cannot be read, or is not text.
    """
    try:
        return path.expanduser().read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"cannot import {path}: {error.strerror}; {_ANOTHER}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot import {path}: it is not UTF-8 text; {_ANOTHER}") from error
