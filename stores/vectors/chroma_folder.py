"""Vectors in a Chroma folder, shared between processes.

Chroma's embedded client keeps each opened index in memory and never looks whether another process
changed the files. With 1.5.9 the second process then finds only part of the vectors, and what it
writes destroys the first one's (tried: a segmentation fault at the next start). So every block
holds a lock on its collection, and a client whose memory is out of date is discarded.

Chroma also writes its index files in place, the header first. A process that is killed meanwhile
leaves files that contradict each other. So an empty file `locks/<collection>.unfinished` exists
while Chroma writes. Damage found beside such a file comes from a kill, not from a failing disk.
"""

import ctypes
import logging
import shutil
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from secondhop.errors import CorruptStoreError, StoreFullError
from secondhop.stores.forked import expect_not_forked
from secondhop.stores.locks import StampedLock
from secondhop.stores.rebuild_command import rebuild_command
from secondhop.stores.vectors.chroma_client import ChromaSession, UnloadedIndexError, chroma_errors
from secondhop.stores.vectors.chroma_database import (
    UnfinishedIndexError,
    index_log,
    remove_unknown_segments,
    stored_segment,
    vacuum,
)
from secondhop.stores.vectors.index_files import blank_spare_room, check_index

_log = logging.getLogger(__name__)

OPEN_COLLECTIONS = 64
"""Indexes kept in memory at once, about 3 MB and 4 files each when small. With one more, the client
starts again."""

_NO_EVICTION = 1_000_000
"""The most indexes that Chroma 1.5.9 may keep: in effect, all of them. If it evicts an index that
is not on disk yet (fewer vectors than `sync_threshold`), it does not find it again, and does not
free all of its memory. It also divides the number among shards, so that two indexes may meet in one
shard of a small cache; then each query reads its index again (4 ms became 80)."""
RESERVE_BYTES = 16 * 2**20
"""Disk space that a write leaves free: Chroma does not survive running out of it."""

_UNKNOWN = b"?"  # no stamp is that short
COPIED_AT_ONCE = 500
"""The most vectors that `compact` holds in memory."""


def draft_of(name: str) -> str:
    """The name of the collection that is filled to replace this one."""
    return f"{name}.draft"


class ChromaFolder:
    """A `ChromaClient` of a folder's files."""

    def __init__(self, folder: Path, *, locks: Path) -> None:
        self.folder, self._file = folder, folder / "chroma.sqlite3"
        self._cure = rebuild_command(str(folder.parent))
        self._locks = locks
        self._changed = threading.Condition()
        self._users = 0
        self._session: ChromaSession | None = None
        self._inode = 0
        self._files: dict[str, Path | None] = {}
        """{collection: where its index files are}"""
        self._seen: dict[str, bytes] = {}
        """{collection: the stamp for which this client's memory of it is right}"""

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession | None, None, None]:
        """See `ChromaClient`."""
        expect_not_forked()
        lock = self._lock(name)
        while self._file.exists():
            with lock.shared() as stamp:
                if is_current := self._is_current(name, stamp):
                    with (
                        self._forgetting_unloaded(name),
                        self._using() as session,
                        chroma_errors(str(self.folder), cure=self._cure),
                    ):
                        yield session
            if is_current:
                return
            # loading takes the exclusive lock: Chroma may update its files while it loads them
            with lock.exclusive() as stamp:
                self._load(name, stamp)
        yield None

    @contextmanager
    def _forgetting_unloaded(self, name: str) -> Generator[None, None, None]:
        """Make the next reader load the collection again, if Chroma has lost it."""
        try:
            yield
        except UnloadedIndexError:
            self._seen[name] = _UNKNOWN
            raise

    @contextmanager
    def writing(self, name: str, *, adds_bytes: int = 0) -> Generator[ChromaSession, None, None]:
        """See `ChromaClient`."""
        expect_not_forked()
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._lock(name)
        with lock.exclusive() as stamp:
            if not self._is_current(name, stamp):
                self._load(name, stamp)
            self._check_space(adds_bytes)
            written = lock.restamp()
            # after an error it is unknown what Chroma has in memory: load the collection again
            self._seen[name] = _UNKNOWN
            self._mark_unfinished(name)
            with (
                self._blanking(name),
                self._using() as session,
                chroma_errors(str(self.folder), cure=self._cure),
            ):
                yield session
            self._unfinished(name).unlink(missing_ok=True)
            self._seen[name] = written

    def drop(self, name: str) -> None:
        """See `ChromaClient`."""
        if not self._file.exists():
            return
        with self._lock(name).exclusive():
            self._lock(name).restamp()
            self._seen[name] = _UNKNOWN
            with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                session.drop(draft_of(name))
                session.drop(name)
            remove_unknown_segments(self.folder)
            self._unfinished(name).unlink(missing_ok=True)
            self._seen.pop(name, None)
            self._files.pop(name, None)

    def compact(self, name: str) -> bool:
        """See `ChromaClient`. Searches go on while the new files are filled."""
        if not self._file.exists():
            return True
        self._copy(name, draft_of(name))
        self._put_in_place(name)
        for unreadable in self.folder.parent.glob("chroma.damaged-*"):
            shutil.rmtree(unreadable)  # version 0.1 kept them
        return self._erase_dropped()

    def _erase_dropped(self) -> bool:
        """Purge the contents of dropped collections from all files. Returns whether it
        succeeded."""
        try:
            with self._paused():
                remove_unknown_segments(self.folder)
                vacuum(self.folder)
        except OSError as error:
            _log.warning("removed vectors may stand in %s: %s", self.folder, error)
            return False
        return True

    def _copy(self, name: str, draft: str) -> None:
        with self.reading(name) as session:
            collection = session.collection(name) if session else None
            ids = collection.ids() if collection else []
        self.drop(draft)
        for start in range(0, len(ids), COPIED_AT_ONCE):
            with self.reading(name) as session:
                collection = session.collection(name) if session else None
                part = ids[start : start + COPIED_AT_ONCE]
                found = collection.vectors(part) if collection else {}
            if found:
                with self.writing(draft) as session:
                    session.created(draft).upsert(list(found), np.stack(list(found.values())))

    def _put_in_place(self, name: str) -> None:
        """Replace the collection by its draft. After a kill, `_catch_up` finishes this."""
        lock = self._lock(name)
        with lock.exclusive():
            lock.restamp()
            with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                session.drop(name)
                session.rename(draft_of(name), name)

    def close(self) -> None:
        """See `ChromaClient`."""
        self._restart()

    def _lock(self, name: str) -> StampedLock:
        return StampedLock(self._locks / f"{name}.index")

    def _unfinished(self, name: str) -> Path:
        """The file that exists while Chroma may be writing the collection's files."""
        return self._locks / f"{name}.unfinished"

    def _mark_unfinished(self, name: str) -> None:
        with suppress(OSError):  # on a full disk, later damage is an error and is not repaired
            self._unfinished(name).touch()

    def _is_current(self, name: str, stamp: bytes) -> bool:
        return self._seen.get(name) == stamp and self._same_folder()

    def _same_folder(self) -> bool:
        return self._file.exists() and self._file.stat().st_ino == self._inode

    def _load(self, name: str, stamp: bytes) -> None:
        """Bring this client's memory of the collection up to date. The caller holds its lock."""
        is_full = len(self._seen) >= OPEN_COLLECTIONS
        if is_full or name in self._seen or not self._same_folder():
            self._restart()
        was_cut_off = self._unfinished(name).exists()
        is_stored = False
        if self._file.exists():
            with self._paused():
                segment = stored_segment(self.folder, name)
                is_stored = bool(segment or stored_segment(self.folder, draft_of(name)))
            self._files[name] = self.folder / segment.vector_segment if segment else None
            if segment is not None:
                check_index(self.folder, segment, was_cut_off=was_cut_off)
        self._mark_unfinished(name)
        try:
            self._catch_up(name, is_stored=is_stored)
        except CorruptStoreError as error:
            if was_cut_off:
                raise UnfinishedIndexError(self.folder, reason=str(error.__cause__)) from error
            raise
        self._blank(name)
        self._unfinished(name).unlink(missing_ok=True)
        self._seen[name] = stamp

    def _catch_up(self, name: str, *, is_stored: bool) -> None:
        """Make Chroma load the collection, and add what is in its log but not in its files."""
        with chroma_errors(str(self.folder), cure=self._cure), self._using() as session:
            session.expect(name, exists=is_stored)
            collection = session.collection(name)
            if collection is None and is_stored:
                session.rename(draft_of(name), name)
                collection = session.collection(name)
            if collection is not None:
                collection.count()

    @contextmanager
    def _blanking(self, name: str) -> Generator[None, None, None]:
        """A block that writes to the collection. Afterwards its files hold only vectors.

        The folder of a new index is recognised because it appears. The database cannot be asked
        while Chroma writes, because SQLite's locks do not keep its SQLite and ours apart. If
        several folders appear, the next load looks it up.
        """
        is_new = self._files.get(name) is None
        before = self._index_folders() if is_new else set[Path]()
        yield
        begun = self._index_folders() - before if is_new else set[Path]()
        if len(begun) == 1:
            self._files[name] = begun.pop()
        self._blank(name)

    def _index_folders(self) -> set[Path]:
        return {path for path in self.folder.iterdir() if path.is_dir()}

    def _blank(self, name: str) -> None:
        """Erase what lay in this process's memory from the collection's files."""
        files = self._files.get(name)
        if files is None:
            return
        try:
            blank_spare_room(files)
        except (OSError, ValueError, struct.error) as error:
            _log.warning("what lay in memory may stand in %s: %s", files, error)

    def _check_space(self, adds_bytes: int) -> None:
        places = (self.folder.absolute(), *self.folder.absolute().parents)
        free = shutil.disk_usage(next(place for place in places if place.exists())).free
        needed = RESERVE_BYTES + 4 * adds_bytes
        if free < needed:
            raise StoreFullError(
                f"{free:,} bytes are free below {self.folder}, but changing vectors safely takes "
                f"{needed:,}; free some space and try again; everything stored before is kept"
            )

    @contextmanager
    def _using(self) -> Generator[ChromaSession, None, None]:
        with self._changed:
            if self._session is None:
                self._session = self._started()
                self._inode = self._file.stat().st_ino
            session = self._session
            self._users += 1
        try:
            yield session
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def _restart(self) -> None:
        """Drop the client once no call uses it."""
        with self._paused():
            session, self._session = self._session, None
            self._seen.clear()
            if session is not None:
                session.close()
                return_freed_memory()

    @contextmanager
    def _paused(self) -> Generator[None, None, None]:
        """A block in which this process's client of the folder is idle.

        Users of the client never wait for locks, so they finish.
        """
        expect_not_forked()
        with self._changed:
            self._changed.wait_for(lambda: self._users == 0)
            yield

    def _started(self) -> ChromaSession:
        from secondhop.stores.vectors.chroma_bindings import FolderDatabase

        with chroma_errors(str(self.folder), cure=self._cure):
            database = FolderDatabase(self.folder, open_indexes=_NO_EVICTION)
        index_log(self.folder)
        return ChromaSession(database)


def return_freed_memory() -> None:
    """Return what Linux's C library would otherwise keep: memory that was freed in small pieces.

    After 64 small indexes were closed, it kept 200 MB. On other systems this does nothing.
    """
    with suppress(OSError, AttributeError, TypeError):  # no such library, or no such function
        ctypes.CDLL(None).malloc_trim(0)
