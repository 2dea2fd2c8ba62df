"""Doing something as a user without rights, even if the tests run as root (as CI may)."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534


@contextmanager
def without_rights() -> Generator[None, None, None]:
    """Run the block as the user "nobody" if this is root, else as the current user.

    Import everything that the block needs beforehand: user "nobody" may not be able to read it.
    """
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)  # the real one too: os.access asks for it
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@contextmanager
def folder_for_everyone() -> Generator[Path, None, None]:
    """A folder that the user "nobody" can reach too; pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory(prefix="secondhop-") as name:
        Path(name).chmod(0o755)
        try:
            yield Path(name)
        finally:
            Path(name).chmod(0o755)
