"""One SQLite file: connections for many threads, transactions, and our errors."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Generator, Hashable, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TypeAlias

from secondhop.errors import (
    CorruptStoreError,
    ReadOnlyStoreError,
    SchemaVersionError,
    StoreError,
    StoreFullError,
)
from secondhop.stores.database import Connection
from secondhop.stores.forked import expect_not_forked
from secondhop.stores.open_files import none_is_left, too_many_files

_BUSY_TIMEOUT_S = 30.0
_IN_PASSING_S = 1.0
"""A file that others close again within this time does not count as open."""
_RESTORE = "put a backup of it in place, or delete it and ingest its sources again"
_SHARED_MEMORY_BYTES = 32_768
"""Size of the file that SQLite keeps beside one in WAL mode: https://sqlite.org/walformat.html."""


Migration: TypeAlias = tuple[str, ...]
"""SQL statements that lead from one version to the next, run in one transaction."""


class SqliteDatabase:
    """A `Database` in one file. A connection serves one thread at a time."""

    def __init__(
        self,
        path: Path,
        *,
        steps: Sequence[Migration] = (),
        if_damaged: str = _RESTORE,
        journal: str = "WAL",
        keeps_open: bool = True,
        makes_folder: bool = True,
    ) -> None:
        """
        Args:
            steps: the schema; `PRAGMA user_version` says how many have run.
            if_damaged: what to do with a damaged file, for the error's message.
            journal: SQLite's journal mode. WAL suits many readers; DELETE leaves no deleted text
                beside the file.
            keeps_open: keep connections for their next use; False: close each after one use.
            makes_folder: False: a file of an entity, whose folder begins and ends with its catalog.
        """
        self.path, self._if_damaged, self._journal = path, if_damaged, journal
        self._steps, self._keeps_open, self._makes_folder = steps, keeps_open, makes_folder
        self._guard = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._watching: sqlite3.Connection | None = None
        """Never writes, because `PRAGMA data_version` counts only the commits of other
        connections."""
        self._inode = 0
        self._closed = False

    @property
    def name(self) -> str:
        """See `Database`."""
        return str(self.path)

    @property
    def newest(self) -> int:
        """See `Database`."""
        return len(self._steps)

    def exists(self) -> bool:
        """See `Database`."""
        return self.path.is_file()

    def version(self, connection: Connection) -> int:
        """See `Database`."""
        return check_version(connection, path=self.path, known=len(self._steps))

    def stamp(self) -> Hashable:
        """See `Database`."""
        try:
            if not self.exists():
                return None
            with self._guard:
                self._forget_another_file()
                if self._watching is None:
                    self._expect_open()
                    self._watching = self._opened("rw")
                    self._watching.execute("PRAGMA busy_timeout = 0")  # a stamp must not wait
                (changes,) = self._watching.execute("PRAGMA data_version").fetchone()
                return self._watching, changes
        except sqlite3.Error:  # the next read raises it
            return None

    def migrate(self) -> None:
        """See `Database`."""
        if self._makes_folder:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        elif not self.path.parent.is_dir():
            raise StoreError(
                f"nothing is left of the entity in {self.path.parent}: it was deleted since it was "
                f"opened; open it again"
            )
        with self.creating() as connection:
            migrate(connection, path=self.path, steps=self._steps)

    def now(self, connection: Connection) -> float:
        """See `Database`."""
        del connection
        return time.time()

    def erase_leftovers(self) -> bool:
        """See `Database`.

        Freed pages are zeroed already; this clears the write-ahead log and the free space.
        """
        with self.creating() as connection:
            connection.execute("VACUUM")
            if self._journal != "WAL":
                return True
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def faults(self) -> list[str]:
        """See `Database`."""
        with self.reading() as connection:
            found = [fault for (fault,) in connection.execute("PRAGMA integrity_check(20)")]
            return [] if found == ["ok"] else found

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection, None, None]:
        """One consistent view of the file; nothing can be written through it."""
        with self._connection() as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, durable: bool = True) -> Generator[sqlite3.Connection, None, None]:
        """See `Database`. In WAL mode, a write that is not durable needs no fsync."""
        with self._connection() as connection:
            connection.execute("PRAGMA query_only = OFF")
            # in WAL mode, NORMAL may lose a commit when the power fails, but damages nothing
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with all_or_nothing(connection):
                yield connection

    @contextmanager
    def creating(self) -> Generator[sqlite3.Connection, None, None]:
        """A connection outside any transaction, for migrations. Creates the file if necessary."""
        with self._connection(create=True) as connection:
            connection.execute("PRAGMA query_only = OFF")
            self._set_journal(connection)
            yield connection

    def _set_journal(self, connection: sqlite3.Connection) -> None:
        """Set the journal mode.

        A file of version 0.1 can leave WAL only while no other connection has it open. If that
        fails, a later call tries again.
        """
        if self._journal == "WAL":
            connection.execute("PRAGMA journal_mode = WAL")
            return
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute(f"PRAGMA journal_mode = {self._journal}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")

    def close(self) -> None:
        """Close every connection; those in use close when their block ends."""
        with self._guard:
            self._closed = True
            unused = self._unused()
        for connection in unused:
            connection.close()

    @contextmanager
    def _connection(self, *, create: bool = False) -> Generator[sqlite3.Connection, None, None]:
        try:
            connection, inode = self._take(create=create)
            try:
                yield connection
            finally:
                self._give_back(connection, inode)
        except sqlite3.Error as error:
            raise as_ours(error, self.path, if_damaged=self._if_damaged) from error

    def _take(self, *, create: bool) -> tuple[sqlite3.Connection, int]:
        """A connection, and the inode of its file; 0 for a file that does not exist yet."""
        expect_not_forked()
        with self._guard:
            self._expect_open()
            self._forget_another_file()
            inode = self._inode
            if self._idle:
                return self._idle.pop(), inode
        return self._opened("rwc" if create else "rw"), inode

    def _expect_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path} was closed; open the entity again")

    def _opened(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _forget_another_file(self) -> None:
        """Close connections to a file that was deleted or replaced: their writes would be lost."""
        inode = self.path.stat().st_ino if self.path.exists() else 0
        if inode != self._inode:
            for connection in self._unused():
                connection.close()
            self._inode = inode

    def _unused(self) -> list[sqlite3.Connection]:
        """Take out the connections that no block uses, so that they can be closed."""
        watching = [self._watching] if self._watching is not None else []
        unused = [*self._idle, *watching]
        self._idle, self._watching = [], None
        return unused

    def _give_back(self, connection: sqlite3.Connection, inode: int) -> None:
        with self._guard:
            if self._keeps_open and not self._closed and inode == self._inode:
                self._idle.append(connection)
                return
        with suppress(sqlite3.Error):
            connection.close()


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Generator[None, None, None]:
    """A write transaction: committed when the block ends, rolled back if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # a full disk makes SQLite roll back by itself
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def schema_version(connection: Connection) -> int:
    """How many migrations have run; 0 in a new file."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def check_version(connection: Connection, *, path: Path, known: int) -> int:
    """The version found.

    Raises:
        SchemaVersionError: it is newer than `known`; nothing was changed.
    """
    found = schema_version(connection)
    if found > known:
        raise SchemaVersionError(found=found, known=known, path=str(path))
    return found


def migrate(connection: sqlite3.Connection, *, path: Path, steps: Sequence[Migration]) -> None:
    """Run the steps that are missing, each in a transaction of its own.

    The version is read again inside each transaction, so if two processes migrate at once, the
    second finds the work done.

    Raises:
        SchemaVersionError: the file is newer than these steps; nothing was changed.
    """
    while check_version(connection, path=path, known=len(steps)) < len(steps):
        with all_or_nothing(connection):
            version = schema_version(connection)
            for statement in steps[version] if version < len(steps) else ():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {min(version + 1, len(steps))}")


@contextmanager
def in_memory(steps: Sequence[Migration]) -> Generator[sqlite3.Connection, None, None]:
    """An empty in-memory database with the tables of these steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(_blank(tuple(steps)))
        yield connection


@cache
def _blank(steps: tuple[Migration, ...]) -> bytes:
    """The bytes of such a database: copying them is faster than running the steps again."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, path=Path(":memory:"), steps=steps)
        return connection.serialize()


def is_open_elsewhere(path: Path) -> bool:
    """Whether the file is open elsewhere, in this process or another; False for a damaged one.

    A connection that has read a file in WAL mode holds a shared lock on it until it is closed,
    and this asks for an exclusive one: https://sqlite.org/pragma.html#pragma_locking_mode.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_IN_PASSING_S, isolation_level=None)
        ) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
    return False


def as_ours(error: sqlite3.Error, path: Path, *, if_damaged: str) -> StoreError:
    """The error to raise for one of SQLite's: CorruptStoreError only for damage."""
    # the low byte is SQLite's primary code: https://sqlite.org/rescode.html
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _is_full(path)
        case sqlite3.SQLITE_IOERR if _no_space_beside(path):
            return _is_full(path)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY if _is_closed_to_us(path):
            return ReadOnlyStoreError(
                f"{path.parent} cannot be written, and even reading {path.name} needs to write "
                f"beside it; make the folder writable, or copy the store to where it is"
            )
        case sqlite3.SQLITE_CANTOPEN if none_is_left():
            return too_many_files(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return CorruptStoreError(f"{path} is damaged ({error}); {if_damaged}")
        case sqlite3.SQLITE_BUSY:
            return StoreError(f"another program keeps {path} locked; try again when it is done")
        case _:
            return StoreError(not_read(str(path), error))


def not_read(place: str, error: Exception) -> str:
    """What to say of an error of the disk or its files; it does not say that they are damaged."""
    return f"could not read or write {place}: {error}; check the disk and the file permissions"


def _is_closed_to_us(path: Path) -> bool:
    return path.exists() and not os.access(path.parent, os.W_OK)


def _no_space_beside(path: Path) -> bool:
    """Whether space is too short even to read: WAL mode needs a little beside the file."""
    folder = path.parent
    return folder.exists() and shutil.disk_usage(folder).free < _SHARED_MEMORY_BYTES


def _is_full(path: Path) -> StoreFullError:
    return StoreFullError(
        f"no space is left to write to {path}, and SQLite writes before it changes or deletes "
        f"anything; free some (embeddings.db and traces/ in the same folder are made "
        f"again when they are missing) and try again; everything stored before is kept"
    )
