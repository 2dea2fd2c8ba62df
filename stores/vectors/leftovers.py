"""Overwrites the vectors that Chroma has removed from its answers, but not from its files.

Chroma 1.5.9 marks a removed vector in `data_level0.bin` and keeps it there; its write-ahead log
(table `embeddings_queue`) keeps what was added lately; and its database does not clear the pages
it frees. `chroma vacuum` clears the log and the pages, never the index. And the spare room of an
index (`chroma_spare_room`) may hold vectors of any collection, where an older version, another
program or a killed process left them.
"""

import os
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from secondhop.stores.vectors.hnsw_files import (
    IndexHeader,
    StoredSegment,
    database_connection,
    read_header,
    read_labels,
    segment_folder,
    stored_segment,
)
from secondhop.stores.vectors.spare_room import blank_litter, has_litter


def overwrite_removed(folder: Path, name: str) -> None:
    """No file keeps a vector of the collection that was removed from it, or any of a dropped one.

    Nobody may have the collection open: Chroma writes what it has in memory over the files.
    Ids of removed vectors may stay in the log until some fifty more are written.

    Raises:
        sqlite3.Error: Chroma's database is busy or cannot be written.
        OSError: nor can the index.
        ValueError: the index files make no sense.
    """
    segment = stored_segment(folder, name)
    if segment is not None:
        files = folder / segment.vector_segment
        if (files / "index_metadata.pickle").exists():
            overwrite_in_index(files, segment.ids)
        blank_for_good(files)
    with closing(database_connection(folder)) as connection:
        if segment is not None:
            overwrite_in_log(connection, segment)
        connection.execute("VACUUM")


def littered(folder: Path) -> list[str]:
    """Names of the collections whose index files hold what lay in memory.

    Raises:
        sqlite3.Error: Chroma's database is busy.
        OSError, ValueError: a file cannot be read, or makes no sense.
    """
    with closing(database_connection(folder)) as connection:
        known = connection.execute(
            "SELECT c.name, s.id FROM collections c "
            "JOIN segments s ON s.collection = c.id AND s.scope = 'VECTOR'"
        ).fetchall()
    return sorted(name for name, segment in known if has_litter(folder / segment))


def blank_litter_of(folder: Path, name: str) -> None:
    """Blank what lies behind the last vector of the collection's index; its lock is held."""
    files = segment_folder(folder, name)
    if files is not None:
        blank_for_good(files)


def blank_for_good(files: Path) -> None:
    """Zeros behind the last vector of the index in this folder, and on the disk at once."""
    blank_litter(files)
    for path in files.glob("*.bin"):
        synced(path)


def overwrite_in_index(files: Path, living: Collection[str]) -> None:
    """Put a neighbour's vector in the place of every vector whose id is not among `living`.

    Searches still find their way through such a place, and what stands there is stored anyway.
    """
    header, labels = read_header(files), read_labels(files)
    if not header.elements:
        return
    kept = [label for passage_id, label in labels.items() if passage_id in living]
    path = files / "data_level0.bin"
    size = header.element_size
    rows = np.memmap(path, dtype=np.uint8, mode="r+", shape=(header.elements, size))
    stored = rows[:, header.label_offset :].copy().view("<u8")[:, 0]
    lives = np.isin(stored, np.array(kept, dtype=np.uint64))
    vectors = rows[:, header.vector_offset : header.label_offset]
    for place in np.flatnonzero(~lives):
        vectors[place] = stand_in(int(place), rows, lives, header)
    rows.flush()
    del rows, vectors
    synced(path)


def stand_in(
    place: int, rows: npt.NDArray[np.uint8], lives: npt.NDArray[np.bool_], header: IndexHeader
) -> npt.NDArray[np.uint8]:
    """Bytes of a vector that is stored: of the nearest neighbour, else any; else a plain one."""
    count = min(int(rows[place, :2].copy().view("<u2")[0]), header.max_links_level0)
    links = rows[place, 4 : 4 + 4 * count].copy().view("<u4")
    near = links[lives[links]]
    others = near if len(near) else np.flatnonzero(lives)
    if len(others):
        return rows[int(others[0]), header.vector_offset : header.label_offset]
    return plain(header.label_offset - header.vector_offset)


def plain(size: int) -> npt.NDArray[np.uint8]:
    """A unit vector of so many bytes that says nothing."""
    vector = np.zeros(size // 4, dtype="<f4")
    vector[0] = 1.0
    return vector.view(np.uint8)


def overwrite_in_log(connection: sqlite3.Connection, segment: StoredSegment) -> None:
    """Entries stay, for Chroma counts them; those that add what is gone add something plain."""
    topic = f"%/{segment.collection_id}"
    logged = connection.execute(
        "SELECT seq_id, id, length(vector) FROM embeddings_queue "
        "WHERE topic LIKE ? AND vector IS NOT NULL",
        (topic,),
    )
    gone = [
        (plain(size).tobytes(), number)
        for number, passage_id, size in logged.fetchall()
        if passage_id not in segment.ids
    ]
    with connection:
        connection.executemany("UPDATE embeddings_queue SET vector = ? WHERE seq_id = ?", gone)


def synced(path: Path) -> None:
    """On the disk, should the machine stop now."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
