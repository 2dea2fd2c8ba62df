"""Explains the system's limit on open files, and how to raise it."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from secondhop.errors import StoreError

FILES_A_MEMORY = 11
"""About how many files one open entity holds."""


def is_too_many(error: OSError) -> bool:
    """Whether the error is about the limit on open files, of this process or of the machine."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def none_is_left() -> bool:
    """Whether no more files can be opened now. SQLite does not say why it could not open one."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return is_too_many(error)
    return False


@contextmanager
def files_left() -> Generator[None, None, None]:
    """Explain the limit on open files if this block reaches it.

    Raises:
        StoreError: no more files can be opened.
    """
    try:
        yield
    except OSError as error:
        if is_too_many(error):
            raise too_many_files(error.filename or "another file") from error
        raise


def too_many_files(path: Path | str) -> StoreError:
    """The error for a file that could not be opened because of the limit."""
    most = ""
    with suppress(ImportError):  # Windows has no such module
        import resource

        most = f" ({resource.getrlimit(resource.RLIMIT_NOFILE)[0]})"
    return StoreError(
        f"could not open {path}: the limit of open files{most} is reached, and an open memory "
        f"takes about {FILES_A_MEMORY}; close memories that are not in use, or raise `ulimit -n`"
    )
