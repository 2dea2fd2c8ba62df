"""Keeps the spare room of Chroma's index files blank.

hnswlib begins an index with room for a hundred vectors, and writes it as `malloc` gave it: with
whatever lay in the memory of the process, a question or a memory of anybody. Chroma 1.5.9 begins
one at a collection's first write, and again whenever it loads a collection of fewer vectors than
`sync_threshold`. Later it writes vectors one by one, never the room behind them: blank stays blank.
"""

import logging
import os
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from secondhop.stores.file_lock import StampedLock
from secondhop.stores.vectors.hnsw_files import read_header

_log = logging.getLogger(__name__)

_LENGTH_BYTES = 4  # of an element in length.bin


class SpareRooms:
    """Of the collections in one folder, each blanked while its collection's lock is held.

    Where a new index lies is seen from the folder that appears, not asked of Chroma's database:
    Chroma still clears its log in the background then, and SQLite's locks do not keep two
    SQLites of one process apart.
    """

    def __init__(self, folder: Path, *, locks: Path) -> None:
        self._folder = folder
        self._beginning = StampedLock(locks / "new-index")
        self._files: dict[str, Path] = {}
        self._blank_since: dict[str, int] = {}
        """{collection: when its index file was last written, as far as it was looked at}"""

    def know(self, name: str, files: Path | None) -> None:
        """Where the collection's index lies, not looked at yet; None: it has none."""
        self._blank_since.pop(name, None)
        if files is None:
            self._files.pop(name, None)
        else:
            self._files[name] = files

    @contextmanager
    def noticing(self, name: str) -> Generator[None, None, None]:
        """A block that may begin the collection's index; of all blocks, one at a time."""
        if name in self._files:
            yield
            return
        with self._beginning.exclusive():
            before = self._folders()
            yield
            begun = self._folders() - before
        if len(begun) == 1:  # more: another program began one; the next load looks after ours
            self.know(name, self._folder / begun.pop())

    def may_hold_litter(self, name: str) -> bool:
        """Whether the index file was written since it was last blank; costs one look at it."""
        written = self._written(name)
        return written is not None and written != self._blank_since.get(name)

    def blank(self, name: str) -> None:
        """Nothing but vectors stays in the collection's index; where that fails, the log says so.

        Only what lies behind the last vector is overwritten, so a process may die meanwhile.
        """
        if not self.may_hold_litter(name):
            return
        files = self._files[name]
        try:
            blank_litter(files)
        except (OSError, ValueError, struct.error) as error:
            _log.warning("what lay in memory may stand in %s: %s", files, error)
        written = self._written(name)
        if written is not None:
            self._blank_since[name] = written

    def _written(self, name: str) -> int | None:
        files = self._files.get(name)
        try:
            return None if files is None else _level0(files).stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def _folders(self) -> set[str]:
        with os.scandir(self._folder) as entries:
            return {entry.name for entry in entries if entry.is_dir()}


def has_litter(files: Path) -> bool:
    """Whether the index in this folder holds anything behind its last vector."""
    return any(_is_littered(path, used) for path, used in _used_bytes(files))


def blank_litter(files: Path) -> None:
    """Zeros behind the last vector of the index in this folder, if they are not there yet.

    Not at once on the disk: should the machine stop, the next load blanks it again.
    """
    for path, used in _used_bytes(files):
        if _is_littered(path, used):
            with path.open("r+b") as file:
                file.seek(used)
                file.write(bytes(path.stat().st_size - used))


def _level0(files: Path) -> Path:
    return files / "data_level0.bin"


def _used_bytes(files: Path) -> list[tuple[Path, int]]:
    """The files that have spare room, and where it begins."""
    if not (files / "header.bin").exists():
        return []
    header = read_header(files)
    rooms = [
        (_level0(files), header.elements * header.element_size),
        (files / "length.bin", header.elements * _LENGTH_BYTES),
    ]
    return [(path, used) for path, used in rooms if path.exists()]


def _is_littered(path: Path, used: int) -> bool:
    with path.open("rb") as file:
        file.seek(used)
        spare = file.read()
    return spare != bytes(len(spare))
