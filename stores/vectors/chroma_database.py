"""Reads Chroma's own database, `chroma.sqlite3`: what it holds, and what it leaves behind.

Chroma 1.5.9 leaves the index files of a dropped collection in the folder, and does not clear the
pages that it frees.
"""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from secondhop.errors import CorruptStoreError
from secondhop.stores.rebuild_command import rebuild_command
from secondhop.stores.sqlite import as_ours

_BUSY_TIMEOUT_S = 30.0
_TOPIC = "persistent://default/default/"
"""What Chroma puts before the id of a collection in its log."""
_TABLES = {"collections", "segments", "embeddings_queue", "embeddings"}


class UnfinishedIndexError(CorruptStoreError):
    """A process was killed while Chroma wrote its files; they can be rebuilt without a loss."""

    def __init__(self, folder: Path, *, reason: str) -> None:
        super().__init__(
            f"the vectors below {folder} were being written when a process was killed ({reason}); "
            f"the memories are safe, and opening the entity again with its embedding model "
            f"rebuilds the vectors, as {rebuild_command(str(folder.parent))} does"
        )


class StoredSegment(NamedTuple):
    """A collection as Chroma's database knows it."""

    vector_segment: str
    """The name of the folder of its index files."""
    ids: set[str]
    """The ids that the index must contain."""
    pending: int
    """Number of its log entries. At most that many ids are not in the index files yet."""


def check_database(folder: Path) -> None:
    """Raise CorruptStoreError if there is a database of Chroma, and it is damaged."""
    if not (folder / "chroma.sqlite3").exists():
        return
    with _reading(folder) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise damaged_vectors(folder, verdict)


def stored_segment(folder: Path, name: str) -> StoredSegment | None:
    """What Chroma's database says about the collection; None if there is none."""
    with _reading(folder) as connection:
        if not _has_its_tables(connection):
            return None
        row = connection.execute("SELECT id FROM collections WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        (collection_id,) = row
        # no join: Chroma has no index of segments by collection, so SQLite would build one
        scopes = "SELECT scope, id FROM segments WHERE collection = ?"
        segments = dict(connection.execute(scopes, (collection_id,)).fetchall())
        if not segments.keys() >= {"VECTOR", "METADATA"}:
            return None
        vector_segment, metadata_segment = segments["VECTOR"], segments["METADATA"]
        (pending,) = connection.execute(
            "SELECT count(*) FROM embeddings_queue WHERE topic = ?", (f"{_TOPIC}{collection_id}",)
        ).fetchone()
        ids = {
            passage_id
            for (passage_id,) in connection.execute(
                "SELECT embedding_id FROM embeddings WHERE segment_id = ?", (metadata_segment,)
            )
        }
        return StoredSegment(vector_segment, ids, pending)


def _has_its_tables(connection: sqlite3.Connection) -> bool:
    """Whether the file is complete. If not, a process was killed while Chroma created it, and
    nothing was stored in it."""
    sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return {name for (name,) in connection.execute(sql)} >= _TABLES


def index_log(folder: Path) -> None:
    """Index Chroma's log by collection. No call of Chroma may be under way.

    Chroma 1.5.9 has no such index: to load a collection, it reads the log of all of them. With 600
    entities of 40 vectors each, that took 28 ms, and takes 6 ms with the index.
    """
    with suppress(sqlite3.Error), closing(_connection(folder)) as connection:
        connection.execute(
            "CREATE INDEX IF NOT EXISTS secondhop_log ON embeddings_queue (topic, seq_id)"
        )


def remove_unknown_segments(folder: Path) -> None:
    """Delete the index files of dropped collections. Raises OSError if that fails now."""
    # list the folders first: a collection that another process begins later is then not among them
    folders = [path for path in folder.iterdir() if path.is_dir()]
    known = set(_in_own_process(folder, "SELECT id FROM segments"))
    for path in folders:
        if path.name not in known:
            with suppress(FileNotFoundError):  # another process does the same
                shutil.rmtree(path)


def vacuum(folder: Path) -> None:
    """Rewrite the database without the pages that were freed. Raises OSError if that fails now."""
    _in_own_process(folder, _VACUUM)


_VACUUM = "VACUUM"
_SCRIPT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=float(sys.argv[3]), isolation_level=None)
for row in connection.execute(sys.argv[2]):
    print(row[0])
connection.close()
"""


def _in_own_process(folder: Path, sql: str) -> list[str]:
    """Run a statement in a process of its own, and return the first column of its rows.

    In this process, our SQLite would release the locks of Chroma's own when it closes the file
    (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    """
    command = [sys.executable, "-I", "-c", _SCRIPT, str(folder / "chroma.sqlite3"), sql]
    done = subprocess.run(
        [*command, str(_BUSY_TIMEOUT_S)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise OSError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else sql)
    return done.stdout.split()


def damaged_vectors(folder: Path, reason: str) -> CorruptStoreError:
    """The error for damaged vectors. It names the command that rebuilds them."""
    return CorruptStoreError(
        f"the vectors below {folder} are damaged ({reason}); "
        f"the memories are safe: {rebuild_command(str(folder.parent))} rebuilds the vectors"
    )


@contextmanager
def _reading(folder: Path) -> Generator[sqlite3.Connection, None, None]:
    """A connection. What SQLite cannot read is a CorruptStoreError, unless the disk failed."""
    try:
        with closing(_connection(folder)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
            raise as_ours(error, folder / "chroma.sqlite3", if_damaged="") from error
        raise damaged_vectors(folder, str(error)) from error


def _connection(folder: Path) -> sqlite3.Connection:
    # rw, so that a killed process's transaction can be rolled back: else nothing can be read
    uri = f"file:{quote(str((folder / 'chroma.sqlite3').absolute()))}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)
