"""Ways to a Chroma database: a folder of our own, or a server.

Both give `reading` and `writing`, blocks in which one collection may be used. The folder needs
more than that: Chroma's embedded client keeps each opened index in memory and never looks whether
another process changed the files. With 1.5.9 the second process then finds only part of the
vectors, and what it writes destroys the first one's (tried: a segmentation fault at the next
start). So every block holds a lock of its collection, and a client whose memory is out of date is
thrown away.

Chroma also writes its index files in place, the header first: a process that is killed meanwhile
leaves files that contradict each other. So an empty file `locks/<collection>.unfinished` stands
while Chroma writes, and damage found beside one is such a leftover, not a failing disk.
"""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from secondhop.errors import CorruptStoreError, StoreError, StoreFullError, UsageError
from secondhop.stores.chroma_leftovers import blank_litter, littered, overwrite_removed
from secondhop.stores.file_lock import StampedLock
from secondhop.stores.hnsw_files import UnfinishedIndexError, check_collection, segment_folder
from secondhop.stores.rebuild_command import rebuild_command

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ServerAPI
    from chromadb.api.models.Collection import Collection

_log = logging.getLogger(__name__)

_OPEN_COLLECTIONS = 128
"""Indexes kept in memory at once, about 3 MB each when small."""
RESERVE_BYTES = 16 * 2**20
"""Disk space that a write leaves free: Chroma does not survive running out of it."""

_UNKNOWN = b"?"  # no stamp is that short

HNSW = {
    "space": "cosine",
    "batch_size": 20,
    "sync_threshold": 50,
    "ef_construction": 100,
    "ef_search": 200,
    "max_neighbors": 16,
}
"""Settings of each collection. With Chroma's own batch and sync sizes a small collection stays in
the write-ahead log, which every query reads from end to end."""


class ChromaSession(Protocol):
    """Collections by name, for the time of one block."""

    @property
    def max_batch(self) -> int:
        """Ids that one call may carry."""
        ...

    def collection(self, name: str, *, create: bool = False) -> "Collection | None":
        """None when there is none and `create` is off."""
        ...


class ChromaClient(Protocol):
    """A database that holds one collection an entity and generation."""

    def reading(self, name: str) -> AbstractContextManager[ChromaSession | None]:
        """A block that reads the collection; None when there is no database yet."""
        ...

    def writing(self, name: str, *, adds_bytes: int = 0) -> AbstractContextManager[ChromaSession]:
        """A block that may change the collection."""
        ...

    def drop(self, name: str) -> None:
        """Delete the collection, whatever state it is in; none is no error."""
        ...

    def erase_removed(self, name: str) -> bool:
        """Overwrite the vectors that files still hold of what was removed; False: it cannot."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class _Session:
    """The collections of one client; remembers those it has looked up."""

    def __init__(self, api: "ServerAPI") -> None:
        self.api = api
        self.max_batch = api.get_max_batch_size()
        self._collections: dict[str, Collection] = {}

    def collection(self, name: str, *, create: bool = False) -> "Collection | None":
        if name not in self._collections:
            from chromadb.api.models.Collection import Collection
            from chromadb.errors import NotFoundError

            try:
                if create:
                    model = self.api.get_or_create_collection(name, configuration={"hnsw": _hnsw()})
                else:
                    model = self.api.get_collection(name)
            except NotFoundError:
                return None
            # no embedding function: Chroma's default one would download a model
            self._collections[name] = Collection(self.api, model, embedding_function=None)
        return self._collections[name]

    def drop(self, name: str) -> None:
        from chromadb.errors import NotFoundError

        self._collections.pop(name, None)
        try:
            self.api.delete_collection(name)
        except NotFoundError:
            return


def _hnsw() -> Any:
    return dict(HNSW)


class ChromaServer:
    """A Chroma server; it looks after concurrency and damage itself."""

    def __init__(self, url: str, *, store: Path) -> None:
        """The vectors of `store`, a folder; it is only named in messages.

        Raises:
            UsageError: `url` is not one: Chroma would ask its default server instead.
        """
        self._url, self._address = url, _server_address(url)
        self._cure = rebuild_command(store, server=url)
        self._session: _Session | None = None
        self._http: httpx.Client | None = None
        self._guard = threading.Lock()

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession | None, None, None]:
        """See `ChromaClient`."""
        del name
        with chroma_errors(self._url, cure=self._cure):
            yield self._connected()

    @contextmanager
    def writing(self, name: str, *, adds_bytes: int = 0) -> Generator[ChromaSession, None, None]:
        """See `ChromaClient`."""
        del name, adds_bytes
        with chroma_errors(self._url, cure=self._cure):
            yield self._connected()

    def drop(self, name: str) -> None:
        """See `ChromaClient`."""
        with chroma_errors(self._url, cure=self._cure):
            self._connected().drop(name)

    def erase_removed(self, name: str) -> bool:
        """See `ChromaClient`. Its files are the server's."""
        del name
        return False

    def close(self) -> None:
        """See `ChromaClient`."""
        with self._guard:
            session, self._session = self._session, None
            http, self._http = self._http, None
        if session is not None:
            session.api.stop()
        if http is not None:
            http.close()  # Chroma's client forgets to

    def _connected(self) -> _Session:
        from chromadb.api.fastapi import FastAPI
        from chromadb.config import Settings, System

        with self._guard:
            if self._session is None:
                host, port, secure = self._address
                settings = Settings(
                    anonymized_telemetry=False,
                    chroma_api_impl="chromadb.api.fastapi.FastAPI",
                    chroma_server_host=host,
                    chroma_server_http_port=port,
                    chroma_server_ssl_enabled=secure,
                )
                system = System(settings)
                api = system.instance(FastAPI)
                system.start()
                self._http = vars(api)["_session"]
                self._session = _Session(api)
            return self._session


def _server_address(url: str) -> tuple[str, int, bool]:
    """Host, port, and whether it speaks TLS."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"the Chroma URL {url!r} is none: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"the Chroma URL {url!r} is none; write it as http://HOST:PORT")
    secure = parts.scheme == "https"
    return host, port or (443 if secure else 8000), secure


class ChromaFolder:
    """Chroma's files in a folder, shared with other processes."""

    def __init__(self, folder: Path, *, locks: Path) -> None:
        self.folder = folder
        self._cure = rebuild_command(folder.parent)
        self._locks = locks
        self._changed = threading.Condition()
        self._users = 0
        self._session: _Session | None = None
        self._inode = 0
        self._seen: dict[str, bytes] = {}
        """{collection: stamp at which this client's memory of it is right}"""

    @contextmanager
    def reading(self, name: str) -> Generator[ChromaSession | None, None, None]:
        """See `ChromaClient`."""
        lock = self._lock(name)
        while self._database_file().exists():
            with lock.shared() as stamp:
                if self._is_current(name, stamp):
                    with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                        yield session
                    return
            # to load is to write: Chroma may bring its files up to date while it loads them
            with lock.exclusive() as stamp:
                self._load(name, stamp)
        yield None

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
            with self._using() as session, chroma_errors(str(self.folder), cure=self._cure):
                yield session
            self._unfinished(name).unlink(missing_ok=True)
            self._seen[name] = written

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
                    blank_litter(self.folder, name)
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
        if self._database_file().exists():
            check_collection(self.folder, name, was_cut_off=was_cut_off)
        self._mark_unfinished(name)
        try:
            self._catch_up(name)
        except CorruptStoreError as error:
            if was_cut_off:
                raise UnfinishedIndexError(self.folder, reason=str(error.__cause__)) from error
            raise
        self._unfinished(name).unlink(missing_ok=True)
        self._seen[name] = stamp

    def _catch_up(self, name: str) -> None:
        """Make Chroma load the collection and enter what its log holds beyond the files."""
        with chroma_errors(str(self.folder), cure=self._cure), self._using() as session:
            collection = session.collection(name)
            if collection is not None:
                collection.count()

    def _check_space(self, adds_bytes: int) -> None:
        free = shutil.disk_usage(self.folder).free
        needed = RESERVE_BYTES + 4 * adds_bytes
        if free < needed:
            raise StoreFullError(
                f"{free:,} bytes are free below {self.folder}, storing these vectors safely takes "
                f"{needed:,}; free some space and try again; everything stored before is kept"
            )

    @contextmanager
    def _using(self) -> Generator[_Session, None, None]:
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

    def _started(self) -> _Session:
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
            return _Session(api)


@contextmanager
def chroma_errors(place: str, *, cure: str) -> Generator[None, None, None]:
    """Chroma's errors as ours; `cure` rebuilds the vectors. Chroma gives no codes, only words."""
    from chromadb.errors import ChromaError, InternalError
    from httpx import HTTPError

    try:
        yield
    except (HTTPError, ConnectionError) as error:
        raise StoreError(
            f"the Chroma server at {place} does not answer ({error}); start it, or check the URL"
        ) from error
    except InternalError as error:
        raise _internal(error, place, cure=cure) from error
    except ChromaError as error:
        raise StoreError(f"Chroma at {place} refused: {error}") from error


def _internal(error: Exception, place: str, *, cure: str) -> StoreError:
    words = str(error).lower()
    if "is full" in words or "no space left" in words or "file too large" in words:
        return StoreFullError(
            f"no space is left for the vectors in {place}; free some and try again; "
            f"everything stored before is kept"
        )
    if "is locked" in words or "busy" in words:
        return StoreError(f"another program keeps {place} locked; try again when it is done")
    return CorruptStoreError(
        f"the vectors in {place} cannot be read ({error}); "
        f"the memories are safe: {cure} rebuilds the vectors"
    )
