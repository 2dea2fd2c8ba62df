"""Where traces are stored: files in a folder, or rows of PostgreSQL."""

import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

PART_SUFFIX = ".part"
"""The suffix of a file that is being written."""


class TraceFile(NamedTuple):
    """One stored trace."""

    at_ns: int
    """When it was written, in nanoseconds since the epoch."""
    size: int
    """Bytes."""
    name: str


class TraceFiles(Protocol):
    """The traces of one entity."""

    def write(self, name: str, content: bytes, *, at_ns: int) -> None:
        """Write a trace whole or not at all, replacing one of the same name.

        Raises:
            OSError, StoreError: it cannot be written.
        """
        ...

    def read(self, name: str) -> bytes | None:
        """The content of a trace; None if there is none."""
        ...

    def listed(self) -> list[TraceFile]:
        """All traces, including any that a killed process left half written."""
        ...

    def remove(self, name: str) -> None:
        """Delete a trace; no error if there is none."""
        ...


class TraceFilesInFolder:
    """`TraceFiles` in a folder of their own."""

    def __init__(self, folder: Path, *, makes_parents: bool = True) -> None:
        """`makes_parents`: False in the folder of an entity, which may have been deleted."""
        self.folder, self._makes_parents = folder, makes_parents

    def write(self, name: str, content: bytes, *, at_ns: int) -> None:
        """See `TraceFiles`."""
        self.folder.mkdir(parents=self._makes_parents, exist_ok=True)
        part = self.folder / f"{name}.{uuid.uuid4().hex}{PART_SUFFIX}"
        try:
            part.write_bytes(content)
            os.utime(part, ns=(at_ns, at_ns))
            part.replace(self.folder / name)
        finally:
            part.unlink(missing_ok=True)

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
                with suppress(FileNotFoundError):  # another recall has deleted it meanwhile
                    state = one.stat()
                    found.append(TraceFile(state.st_mtime_ns, state.st_size, one.name))
        return found

    def remove(self, name: str) -> None:
        """See `TraceFiles`."""
        (self.folder / name).unlink(missing_ok=True)
