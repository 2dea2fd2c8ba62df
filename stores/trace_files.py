"""Where traces are stored: files in a folder, or rows of PostgreSQL."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

PART_SUFFIX = ".part"
"""Of a file that is being written."""


class TraceFile(NamedTuple):
    """One of them."""

    at_ns: int
    """When it was written: nanoseconds of the epoch."""
    size: int
    """Bytes."""
    name: str


class TraceFiles(Protocol):
    """The traces of one entity."""

    def write(self, name: str, content: bytes, *, at_ns: int) -> None:
        """Write it whole, or not at all; another one of that name goes.

        Raises:
            OSError, StoreError: that cannot be done.
        """
        ...

    def read(self, name: str) -> bytes | None:
        """Its content; None: there is none."""
        ...

    def listed(self) -> list[TraceFile]:
        """All of them, also what a killed process left half written."""
        ...

    def remove(self, name: str) -> None:
        """Delete it; none is no error."""
        ...


class TraceFilesInFolder:
    """`TraceFiles` in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: bytes, *, at_ns: int) -> None:
        """See `TraceFiles`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / name
        part = file.with_suffix(PART_SUFFIX)
        part.write_bytes(content)
        os.utime(part, ns=(at_ns, at_ns))
        part.replace(file)

    def read(self, name: str) -> bytes | None:
        """See `TraceFiles`."""
        with suppress(FileNotFoundError):
            return (self.folder / name).read_bytes()
        return None

    def listed(self) -> list[TraceFile]:
        """See `TraceFiles`."""
        found: list[TraceFile] = []
        with suppress(FileNotFoundError):
            for one in os.scandir(self.folder):
                with suppress(FileNotFoundError):  # another recall has let it go meanwhile
                    state = one.stat()
                    found.append(TraceFile(state.st_mtime_ns, state.st_size, one.name))
        return found

    def remove(self, name: str) -> None:
        """See `TraceFiles`."""
        (self.folder / name).unlink(missing_ok=True)
