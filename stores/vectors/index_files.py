"""Checks that Chroma's files of a collection are intact before Chroma loads them.

Chroma 1.5.9 does not check: random bytes in `data_level0.bin` end the process with a segmentation
fault, and a deleted segment folder gives one hit where there should be 120, without an error.
Opening 100,000 vectors of 384 dimensions, with this check, takes 1.2 to 1.5 s on a busy machine.
"""

import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from secondhop.errors import StoreError
from secondhop.stores.sqlite import not_read
from secondhop.stores.vectors.chroma_database import (
    StoredSegment,
    UnfinishedIndexError,
    damaged_vectors,
)

_HEADER = struct.Struct("<i6QiI3QdQ")
_NORM_TOLERANCE = 1e-2
_FIRST_ROOM = 100
_LENGTH_BYTES = 4  # per element in length.bin
_DELETED = 1  # flag in the third byte of an element's link list


class _CutShortError(ValueError):
    """The file ends too early, because Chroma empties it before it fills it."""


@dataclass(frozen=True, slots=True)
class _IndexHeader:
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


def check_index(folder: Path, segment: StoredSegment, *, was_cut_off: bool) -> None:
    """Check that the collection's index files are intact, if they exist.

    Args:
        was_cut_off: the last process that wrote them was killed.

    Raises:
        UnfinishedIndexError: they are damaged, and a killed process explains it: `was_cut_off`, or
            `index_metadata.pickle`, which Chroma writes last, ends too early.
        CorruptStoreError: they are damaged, or hold fewer vectors than they should.
        StoreError: the disk failed.
    """
    try:
        _check_segment(folder, segment)
    except (OSError, ValueError, struct.error) as error:
        if isinstance(error, OSError) and error.errno == EIO:
            raise StoreError(not_read(str(folder), error)) from error
        if was_cut_off or isinstance(error, _CutShortError):
            raise UnfinishedIndexError(folder, reason=str(error)) from error
        raise damaged_vectors(folder, str(error)) from error


def blank_spare_room(files: Path) -> None:
    """Write zeros behind the last vector of the index in this folder. Its collection is locked.

    hnswlib begins an index with room for a hundred vectors, and writes that room as `malloc` gave
    it: with whatever lay in the memory of the process. It does so at the first write of a
    collection, and whenever it loads one of fewer vectors than `sync_threshold`.
    """
    if not (files / "header.bin").exists():
        return
    header = _read_header(files)
    for name, size in (("data_level0.bin", header.element_size), ("length.bin", _LENGTH_BYTES)):
        used, room = header.elements * size, _FIRST_ROOM * size
        if used >= room:
            continue
        with (files / name).open("r+b") as file:
            file.seek(used)
            spare = file.read(room - used)
            if spare.strip(b"\0"):
                file.seek(used)
                file.write(bytes(len(spare)))


def _check_segment(folder: Path, segment: StoredSegment) -> None:
    files = folder / segment.vector_segment
    labels: Mapping[str, int] = {}
    if (files / "index_metadata.pickle").exists():
        header = _read_header(files)
        labels = _read_labels(files)
        _check_level0(files, header, labels)
        _check_lengths(files, header)
        _check_links(files, header)
    missing = len(segment.ids - labels.keys())
    if missing > segment.pending:
        raise ValueError(f"{missing} of {len(segment.ids)} vectors are missing")


def _read_header(files: Path) -> _IndexHeader:
    """The header of the index in this folder. Raises ValueError if it makes no sense."""
    header = _IndexHeader(*_HEADER.unpack((files / "header.bin").read_bytes()))
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


def _read_labels(files: Path) -> Mapping[str, int]:
    """{passage id: label of its vector}. Raises ValueError if they cannot be read."""
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


def _check_level0(files: Path, header: _IndexHeader, labels: Mapping[str, int]) -> None:
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
    # more vectors than labels are fine: a process that was killed while saving leaves them, and
    # Chroma then adds them again from its log
    if not set(labels.values()) <= set(stored[alive].tolist()):
        raise ValueError("index_metadata.pickle names vectors that data_level0.bin does not hold")


def _check_lengths(files: Path, header: _IndexHeader) -> None:
    """Check the lengths that vectors had before Chroma normalised them: ours are always 1."""
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


def _check_links(files: Path, header: _IndexHeader) -> None:
    """Check the upper levels: for each element, its size in bytes, then a link list per level."""
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
