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
    """Run a command's work; what it raises on purpose ends it without a traceback.

    Args:
        place: options that the commands in a message need to find the same memory.

    Raises:
        typer.Exit: status 2 for wrong usage, 1 for work that failed, 130 when interrupted,
            0 when the reader of a pipe had enough.
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
            silence_stdout()  # Python would try again at its exit, and complain once more
        raise leave(error, status=FAILED) from error


def leave(error: BaseException, *, status: int, place: str = "") -> typer.Exit:
    """Say what happened, and hand back the exit to raise."""
    from secondhop.cli.advised import with_place
    from secondhop.cli.terminal import clean

    said = words_of(error) or "interrupted"  # Python's own KeyboardInterrupt has no words
    print(f"secondhop: {clean(with_place(said, place))}", file=sys.stderr)
    return typer.Exit(status)


def words_of(error: BaseException) -> str:
    """The message; an error of the system names its place, and the way out where there is one."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    place = f"{error.filename}: " if error.filename is not None else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return f"{place}{error.strerror}{'; free some space, and try again' if full else ''}"


def silence_stdout() -> None:
    """The reader is gone: what is still buffered goes nowhere, and Python's exit stays quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
