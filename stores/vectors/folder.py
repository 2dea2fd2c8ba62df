"""Vectors in a folder of our own, shared with other processes.

Chroma's embedded client keeps each opened index in memory and never looks whether another process
changed the files. With 1.5.9 the second process then finds only part of the vectors, and what it
writes destroys the first one's (tried: a segmentation fault at the next start). So every block
holds a lock of its collection, and a client whose memory is out of date is thrown away.

Chroma also writes its index files in place, the header first: a process that is killed meanwhile
leaves files that contradict each other. So an empty file `locks/<collection>.unfinished` stands
while Chroma writes, and damage found beside one is such a leftover, not a failing disk.
"""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from secondhop.errors import CorruptStoreError, StoreFullError
from secondhop.stores.file_lock import LockClosedError, StampedLock
from secondhop.stores.rebuild_command import rebuild_command
from secondhop.stores.vectors.client import ChromaSession
from secondhop.stores.vectors.collections import ApiSession
from secondhop.stores.vectors.errors import chroma_errors
from secondhop.stores.vectors.hnsw_files import (
    UnfinishedIndexError,
    check_collection,
    segment_folder,
)
from secondhop.stores.vectors.leftovers import blank_litter_of, littered, overwrite_removed
from secondhop.stores.vectors.spare_room import SpareRooms

_log = logging.getLogger(__name__)

_OPEN_COLLECTIONS = 128
"""Indexes kept in memory at once, about 3 MB each when small."""
RESERVE_BYTES = 16 * 2**20
"""Disk space that a write leaves free: Chroma does not survive running out of it."""

_UNKNOWN = b"?"  # no stamp is that short


class ChromaFolder:
    """A `ChromaClient` of a folder's files."""

    def __init__(self, folder: Path, *, locks: Path) -> None:
        self.folder = folder
        self._cure = rebuild_command(folder.parent)
        self._locks = locks
        self._spare_rooms = SpareRooms(folder, locks=locks)
        self._changed = threading.Condition()
        self._users = 0
        self._session: ApiSession | None = None
        self._inode = 0
        self._seen: dict[str, bytes] = {}
        """{collection: stamp at which this client's memory of it is right}"""

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession | None, None, None]:
        """See `ChromaClient`."""
        lock = self._lock(name)
        while self._database_file().exists():
            with self._lock_in_reach(), lock.shared() as stamp:
                if is_current := self._is_current(name, stamp):
                    with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                        yield session
            if is_current:
                self._blank_what_reading_began(name)
                return
            # to load is to write: Chroma may bring its files up to date while it loads them
            with lock.exclusive() as stamp:
                self._load(name, stamp)
        yield None

    def _blank_what_reading_began(self, name: str) -> None:
        """Chroma had dropped a small index from its memory, and has begun its files anew."""
        if self._spare_rooms.may_hold_litter(name):
            with self._lock(name).exclusive():
                self._spare_rooms.blank(name)

    @contextmanager
    def _lock_in_reach(self) -> Generator[None, None, None]:
        try:
            yield
        except LockClosedError as error:
            raise LockClosedError(
                f"the vectors in {self.folder} cannot be searched: Chroma writes where it reads, "
                f"and nothing can be written there; make the folder writable, or copy the store to "
                f"one that is. What needs no vectors works: briefing, export, stats, facts, history"
            ) from error

    @contextmanager
    def writing(self, name: str, *, adds_bytes: int = 0) -> Generator[ChromaSession, None, None]:
        """See `ChromaClient`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._lock(name)
        with lock.exclusive() as stamp:
            if not self._is_current(name, stamp):
                self._load(name, stamp)
            self._check_space(adds_bytes)
            written = lock.restamp()
            # should this end in an error, nobody knows what Chroma has in memory: start it anew
            self._seen[name] = _UNKNOWN
            self._mark_unfinished(name)
            with (
                self._spare_rooms.noticing(name),
                self._using() as session,
                chroma_errors(str(self.folder), cure=self._cure),
            ):
                yield session
            self._spare_rooms.blank(name)
            self._unfinished(name).unlink(missing_ok=True)
            self._seen[name] = written

    def check_room(self) -> None:
        """See `ChromaClient`."""
        self._check_space(0)

    def drop(self, name: str) -> None:
        """See `ChromaClient`."""
        if not self._database_file().exists():
            return
        lock = self._lock(name)
        with lock.exclusive():
            files = segment_folder(self.folder, name)
            lock.restamp()
            self._seen[name] = _UNKNOWN
            with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                session.drop(name)
            if files is not None and files.exists():
                shutil.rmtree(files)  # Chroma leaves them, and with them every vector
            self._spare_rooms.know(name, None)
            self._unfinished(name).unlink(missing_ok=True)
            self._seen.pop(name)

    def erase_removed(self, name: str) -> bool:
        """See `ChromaClient`. Every client loads the collection again afterwards."""
        if not self._database_file().exists():
            return True
        lock = self._lock(name)
        with lock.exclusive():
            lock.restamp()
            self._restart()  # it would write what it has in memory over the files
            self._mark_unfinished(name)
            try:
                overwrite_removed(self.folder, name)
            except (sqlite3.Error, OSError, ValueError) as error:
                _log.warning("removed vectors may stand in %s: %s", self.folder, error)
                return False
            self._unfinished(name).unlink(missing_ok=True)
        return self._blank_litter()

    def _blank_litter(self) -> bool:
        """In small indexes of every collection; one lock at a time: nobody waits in a circle."""
        try:
            for name in littered(self.folder):
                with self._lock(name).exclusive():
                    blank_litter_of(self.folder, name)
        except (sqlite3.Error, OSError, ValueError) as error:
            _log.warning("removed vectors may stand in %s: %s", self.folder, error)
            return False
        return True

    def close(self) -> None:
        """See `ChromaClient`."""
        self._restart()

    def _lock(self, name: str) -> StampedLock:
        return StampedLock(self._locks / f"{name}.index")

    def _unfinished(self, name: str) -> Path:
        """Stands while Chroma may be writing the collection's files."""
        return self._locks / f"{name}.unfinished"

    def _mark_unfinished(self, name: str) -> None:
        with suppress(OSError):  # a full disk: damage is then told instead of mended
            self._unfinished(name).touch()

    def _database_file(self) -> Path:
        return self.folder / "chroma.sqlite3"

    def _is_current(self, name: str, stamp: bytes) -> bool:
        return self._seen.get(name) == stamp and self._same_folder()

    def _same_folder(self) -> bool:
        file = self._database_file()
        return file.exists() and file.stat().st_ino == self._inode

    def _load(self, name: str, stamp: bytes) -> None:
        """Make this client's memory of the collection right; its lock is held."""
        if name in self._seen or not self._same_folder():
            self._restart()
        was_cut_off = self._unfinished(name).exists()
        files = None
        if self._database_file().exists():
            files = check_collection(self.folder, name, was_cut_off=was_cut_off)
        self._spare_rooms.know(name, files)
        self._mark_unfinished(name)
        try:
            self._catch_up(name)
        except CorruptStoreError as error:
            if was_cut_off:
                raise UnfinishedIndexError(self.folder, reason=str(error.__cause__)) from error
            raise
        self._spare_rooms.blank(name)
        self._unfinished(name).unlink(missing_ok=True)
        self._seen[name] = stamp

    def _catch_up(self, name: str) -> None:
        """Make Chroma load the collection and enter what its log holds beyond the files."""
        with chroma_errors(str(self.folder), cure=self._cure), self._using() as session:
            collection = session.collection(name)
            if collection is not None:
                collection.count()

    def _check_space(self, adds_bytes: int) -> None:
        places = (self.folder.absolute(), *self.folder.absolute().parents)
        free = shutil.disk_usage(next(place for place in places if place.exists())).free
        needed = RESERVE_BYTES + 4 * adds_bytes
        if free < needed:
            raise StoreFullError(
                f"{free:,} bytes are free below {self.folder}, changing vectors safely takes "
                f"{needed:,}; free some space and try again; everything stored before is kept"
            )

    @contextmanager
    def _using(self) -> Generator[ApiSession, None, None]:
        with self._changed:
            if self._session is None:
                self._session = self._started()
                self._inode = self._database_file().stat().st_ino
            session = self._session
            self._users += 1
        try:
            yield session
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def _restart(self) -> None:
        """Drop the client once nobody uses it. Its users never wait for locks, so they finish."""
        with self._changed:
            self._changed.wait_for(lambda: self._users == 0)
            session, self._session = self._session, None
            self._seen.clear()
            if session is not None:
                session.api.stop()

    def _started(self) -> ApiSession:
        from chromadb.api.rust import RustBindingsAPI
        from chromadb.config import Settings, System

        settings = Settings(
            anonymized_telemetry=False,
            is_persistent=True,
            persist_directory=str(self.folder),
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        )
        # not PersistentClient: all clients of one path share a system that cannot be restarted
        system = System(settings)
        api = system.instance(RustBindingsAPI)
        # Chroma's own bound is a fifth of the open files allowed: about 3 GB for 1,000
        api.hnsw_cache_size = _OPEN_COLLECTIONS
        with chroma_errors(str(self.folder), cure=self._cure):
            system.start()
            return ApiSession(api)
