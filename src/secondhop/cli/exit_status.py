"""Turns errors of a command into one line on standard error and an exit status."""

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

import typer

from secondhop.errors import SecondhopError, UsageError

DONE = 0
FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130


@contextmanager
def with_exit_status(*, place: str = "") -> Generator[None, None, None]:
    """Turn expected errors of a command into a message and an exit status, without a traceback.

    Args:
        place: options that commands in a message need to open the same store.

    Raises:
        typer.Exit: status 2 for wrong usage, 1 for work that failed, 130 after an interrupt,
            0 if the reader of a pipe closed it.
    """
    try:
        yield
        sys.stdout.flush()
    except UsageError as error:
        raise leave(error, status=WRONG_USAGE, place=place) from error
    except SecondhopError as error:
        raise leave(error, status=FAILED, place=place) from error
    except KeyboardInterrupt as error:
        raise leave(error, status=INTERRUPTED) from error
    except BrokenPipeError as error:
        silence_stdout()
        raise typer.Exit(DONE) from error
    except OSError as error:
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            silence_stdout()  # otherwise Python would flush again at exit and report a second error
        raise leave(error, status=FAILED) from error


def leave(error: BaseException, *, status: int, place: str = "") -> typer.Exit:
    """Print the error, and return the exit to raise."""
    from secondhop.cli.advised import with_place
    from secondhop.cli.terminal import clean

    said = words_of(error) or "interrupted"  # Python's own KeyboardInterrupt has no words
    print(f"secondhop: {clean(with_place(said, place))}", file=sys.stderr)
    return typer.Exit(status)


def words_of(error: BaseException) -> str:
    """The error's message; an OSError is shown with its file and, for a full disk, a remedy."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    place = f"{error.filename}: " if error.filename is not None else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return f"{place}{error.strerror}{'; free some space, and try again' if full else ''}"


def silence_stdout() -> None:
    """Send buffered output to /dev/null, so that Python does not fail again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
