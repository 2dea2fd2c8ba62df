"""Looks for a vector in files of any format."""

from pathlib import Path

import numpy as np

from secondhop.stores.records import Vector


def files_with_vector(vector: Vector, folder: Path) -> list[str]:
    """Names of the files that contain this vector, or nearly this one, in either byte order.

    Chroma normalises unit vectors again, so its bytes may differ from ours in the last bit.
    """
    return sorted(
        {path.name for path in folder.rglob("*") if path.is_file() and holds(path, vector)}
    )


def holds(path: Path, vector: Vector) -> bool:
    raw = path.read_bytes()
    if vector.tobytes() in raw or vector.astype(">f4").tobytes() in raw:
        return True
    for start in range(4):
        whole = (len(raw) - start) // 4 * 4
        numbers = np.frombuffer(raw[start : start + whole], dtype="<f4")
        if len(numbers) < len(vector):
            continue
        sane = np.where(np.abs(numbers) <= 1.01, numbers, np.float32(0))
        lengths = np.sqrt(np.correlate(sane * sane, np.ones_like(vector)))
        if (np.correlate(sane, vector) > 0.999 * np.maximum(lengths, 0.5)).any():
            return True
    return False
