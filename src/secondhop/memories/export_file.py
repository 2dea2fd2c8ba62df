"""An export as a file: written whole or not at all, and read with errors that name it."""

import errno
import shutil
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from secondhop.errors import StoreError, StoreFullError, UsageError

_ANOTHER = "give a file that `secondhop export` wrote"


def write_export(path: Path, lines: Iterable[str]) -> None:
    """Write the lines to a file; what stood there before stays until they are all written.

    Raises:
        UsageError: it is a folder, or its folder is not there.
        StoreFullError: no space is left; nothing of the export stays.
        StoreError: the system does not let us; nothing of the export stays.
    """
    place = path.expanduser()
    if place.is_dir():
        raise UsageError(f"cannot export to {path}: it is a folder; name a file in it")
    if not place.parent.is_dir():
        raise UsageError(f"cannot export to {path}: {place.parent} is no folder; make it first")
    try:
        if place.exists() and not place.is_file():  # a pipe or a device
            _write(place, lines)
        else:
            _exchange(place.resolve(), lines)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(
                f"no space is left to export to {path}; free some, or name a file on another disk"
            ) from error
        raise StoreError(
            f"cannot export to {path}: {error.strerror}; name a file that can be written"
        ) from error


def _exchange(place: Path, lines: Iterable[str]) -> None:
    draft = place.with_name(f".{place.name[:100]}.{uuid.uuid4().hex}")
    try:
        _write(draft, lines)
        if place.exists():
            shutil.copymode(place, draft)
        draft.replace(place)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _write(place: Path, lines: Iterable[str]) -> None:
    with place.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def read_export(path: Path) -> list[str]:
    """The lines of an export.

    Raises:
        UsageError: it cannot be read, or is no text.
    """
    try:
        return path.expanduser().read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"cannot import {path}: {error.strerror}; {_ANOTHER}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot import {path}: it is no UTF-8 text; {_ANOTHER}") from error
