"""Looks whether Chroma's files of one collection are whole, before Chroma loads them.

Chroma 1.5.9 does not look: random bytes in `data_level0.bin` end the process with a segmentation
fault, and a deleted segment folder gives one hit where there should be 120, without an error.
Opening 100,000 vectors of 384 dimensions, with this check, takes 1.2 to 1.5 s on a busy machine.
"""

import pickle
import sqlite3
import struct
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from secondhop.errors import CorruptStoreError
from secondhop.stores.rebuild_command import rebuild_command

_HEADER = struct.Struct("<i6QiI3QdQ")
PATIENCE_S = 30.0

_NORM_TOLERANCE = 1e-2
_DELETED = 1  # third byte of an element's link list


class UnfinishedIndexError(CorruptStoreError):
    """A process was killed while Chroma wrote its files; they can be rebuilt without a loss."""

    def __init__(self, folder: Path, *, reason: str) -> None:
        super().__init__(
            f"the vectors below {folder} were being written when a process was killed ({reason}); "
            f"the memories are safe, and opening the entity again with its embedding model "
            f"rebuilds the vectors, as {rebuild_command(folder.parent)} does"
        )


class _CutShortError(ValueError):
    """The file ends before its contents do: Chroma empties it, and then fills it."""


class StoredSegment(NamedTuple):
    """A collection as Chroma's database knows it."""

    collection_id: str
    vector_segment: str
    """Names the folder of its index files."""
    ids: set[str]
    """That the index must know."""
    pending: int
    """Log entries; at most so many ids are not in the index files yet."""


@dataclass(frozen=True, slots=True)
class IndexHeader:
    """`header.bin`, as hnswlib writes it; sizes and offsets in bytes."""

    persistence_version: int
    offset_level0: int
    max_elements: int
    elements: int
    element_size: int
    label_offset: int
    vector_offset: int
    max_level: int
    entry_point: int
    max_links: int
    max_links_level0: int
    links: int
    level_factor: float
    ef_construction: int


def check_collection(folder: Path, name: str, *, was_cut_off: bool = False) -> Path | None:
    """Where the collection's index files are, or will be, when they are whole or not there yet.

    None when there is no collection.

    Args:
        was_cut_off: the last process that wrote them did not come to its end.

    Raises:
        UnfinishedIndexError: they are not, and a killed process explains it: `was_cut_off`, or
            `index_metadata.pickle`, which Chroma writes last, ends too early.
        CorruptStoreError: they are not, or hold fewer vectors than they should.
    """
    try:
        found = stored_segment(folder, name)
        if found is None:
            return None
        _check_segment(folder, found)
        return folder / found.vector_segment
    except sqlite3.DatabaseError as error:
        raise _corrupt(folder, str(error)) from error
    except (OSError, ValueError, struct.error) as error:
        if was_cut_off or isinstance(error, _CutShortError):
            raise UnfinishedIndexError(folder, reason=str(error)) from error
        raise _corrupt(folder, str(error)) from error


def check_database(folder: Path) -> None:
    """Passes silently when Chroma's own database is whole, or when there is none.

    Raises:
        CorruptStoreError: it is not.
    """
    if not (folder / "chroma.sqlite3").exists():
        return
    try:
        with closing(database_connection(folder)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise _corrupt(folder, str(error)) from error
    if verdict != "ok":
        raise _corrupt(folder, verdict)


def segment_folder(folder: Path, name: str) -> Path | None:
    """Where the collection's index files are, or will be; None when there is no collection.

    Raises:
        CorruptStoreError: Chroma's database cannot be read.
    """
    try:
        with closing(database_connection(folder)) as connection:
            row = connection.execute(
                "SELECT s.id FROM collections c JOIN segments s "
                "ON s.collection = c.id AND s.scope = 'VECTOR' WHERE c.name = ?",
                (name,),
            ).fetchone()
    except sqlite3.DatabaseError as error:
        raise _corrupt(folder, str(error)) from error
    return folder / row[0] if row else None


def database_connection(folder: Path) -> sqlite3.Connection:
    """Of Chroma's own database; waits PATIENCE_S for other writers."""
    # rw: what a killed process left of a transaction is rolled back, or nothing can be read
    uri = f"file:{quote(str((folder / 'chroma.sqlite3').absolute()))}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE_S)


def _corrupt(folder: Path, reason: str) -> CorruptStoreError:
    return CorruptStoreError(
        f"the vectors below {folder} are damaged ({reason}); "
        f"the memories are safe: {rebuild_command(folder.parent)} rebuilds the vectors"
    )


def stored_segment(folder: Path, name: str) -> StoredSegment | None:
    """What Chroma's database says of the collection; None when there is none."""
    with closing(database_connection(folder)) as connection:
        row = connection.execute(
            "SELECT c.id, v.id, m.id FROM collections c "
            "JOIN segments v ON v.collection = c.id AND v.scope = 'VECTOR' "
            "JOIN segments m ON m.collection = c.id AND m.scope = 'METADATA' WHERE c.name = ?",
            (name,),
        ).fetchone()
        if row is None:
            return None
        collection_id, vector_segment, metadata_segment = row
        (pending,) = connection.execute(
            "SELECT count(*) FROM embeddings_queue WHERE topic LIKE ?", (f"%/{collection_id}",)
        ).fetchone()
        ids = {
            passage_id
            for (passage_id,) in connection.execute(
                "SELECT embedding_id FROM embeddings WHERE segment_id = ?", (metadata_segment,)
            )
        }
        return StoredSegment(collection_id, vector_segment, ids, pending)


def _check_segment(folder: Path, segment: StoredSegment) -> None:
    files = folder / segment.vector_segment
    labels: Mapping[str, int] = {}
    if (files / "index_metadata.pickle").exists():
        header = read_header(files)
        labels = read_labels(files)
        _check_level0(files, header, labels)
        _check_lengths(files, header)
        _check_links(files, header)
    missing = len(segment.ids - labels.keys())
    if missing > segment.pending:
        raise ValueError(f"{missing} of {len(segment.ids)} vectors are missing")


def read_header(files: Path) -> IndexHeader:
    """Of the index in this folder; a ValueError when it makes no sense."""
    header = IndexHeader(*_HEADER.unpack((files / "header.bin").read_bytes()))
    sound = (
        header.elements <= header.max_elements
        and header.max_links_level0 * 4 + 4 <= header.vector_offset
        and header.vector_offset < header.label_offset
        and header.label_offset + 8 == header.element_size
        and (header.elements == 0 or header.entry_point < header.elements)
    )
    if not sound:
        raise ValueError("header.bin makes no sense")
    return header


class _PlainUnpickler(pickle.Unpickler):
    """Reads dicts, strings and numbers, and refuses anything that could run code."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"index_metadata.pickle names {module_name}.{global_name}")


def read_labels(files: Path) -> Mapping[str, int]:
    """{passage id: label of its vector}; a ValueError when they cannot be read."""
    with (files / "index_metadata.pickle").open("rb") as file:
        try:
            labels = _PlainUnpickler(file).load()["id_to_label"]
        except EOFError as error:
            raise _CutShortError("index_metadata.pickle is cut short") from error
        except (pickle.UnpicklingError, LookupError, TypeError, AttributeError) as error:
            if "truncated" in str(error):
                raise _CutShortError("index_metadata.pickle is cut short") from error
            raise ValueError(f"index_metadata.pickle: {error}") from error
    if not isinstance(labels, dict):
        raise ValueError("index_metadata.pickle holds no labels")
    return cast("dict[str, int]", labels)


def _check_level0(files: Path, header: IndexHeader, labels: Mapping[str, int]) -> None:
    rows = _rows(files / "data_level0.bin", header.elements, header.element_size)
    counts = rows[:, :2].copy().view("<u2")[:, 0]
    links = rows[:, 4 : 4 + 4 * header.max_links_level0].copy().view("<u4")
    used = np.arange(header.max_links_level0) < counts[:, None]
    if (counts > header.max_links_level0).any() or (links[used] >= header.elements).any():
        raise ValueError("data_level0.bin links to vectors that do not exist")
    vectors = rows[:, header.vector_offset : header.label_offset].copy().view("<f4")
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float32)
    if not (np.abs(squares - 1) < _NORM_TOLERANCE).all():
        raise ValueError("data_level0.bin holds vectors that are not of unit length")
    alive = (rows[:, 2] & _DELETED) == 0
    stored = rows[:, header.label_offset :].copy().view("<u8")[:, 0]
    # more vectors than labels are fine: a process killed while it saved leaves that, and Chroma
    # then enters them again from its log
    if not set(labels.values()) <= set(stored[alive].tolist()):
        raise ValueError("index_metadata.pickle names vectors that data_level0.bin does not hold")


def _check_lengths(files: Path, header: IndexHeader) -> None:
    """Lengths of the vectors before Chroma made them unit vectors: ours always were."""
    size = header.elements * 4
    raw = (files / "length.bin").read_bytes()[:size]
    lengths = np.frombuffer(raw, dtype="<f4")
    if len(raw) < size or not (np.abs(lengths - 1) < _NORM_TOLERANCE).all():
        raise ValueError("length.bin makes no sense")


def _rows(path: Path, count: int, size: int) -> npt.NDArray[np.uint8]:
    if path.stat().st_size < count * size:
        raise ValueError(f"{path.name} is cut short")
    if not count:
        return np.zeros((0, size), dtype=np.uint8)
    return np.memmap(path, dtype=np.uint8, mode="r", shape=(count, size))


def _check_links(files: Path, header: IndexHeader) -> None:
    """The upper levels: for each element its size in bytes, then one link list a level."""
    raw = (files / "link_lists.bin").read_bytes()
    level_size = 4 + 4 * header.max_links
    place = 0
    for _ in range(header.elements):
        (size,) = struct.unpack_from("<I", raw, place)
        place += 4
        if size % level_size or size > level_size * max(header.max_level, 0):
            raise ValueError("link_lists.bin makes no sense")
        for start in range(place, place + size, level_size):
            (count,) = struct.unpack_from("<H", raw, start)
            targets = struct.unpack_from(f"<{min(count, header.max_links)}I", raw, start + 4)
            if count > header.max_links or any(link >= header.elements for link in targets):
                raise ValueError("link_lists.bin links to vectors that do not exist")
        place += size
