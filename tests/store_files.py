"""What the files of a store contain, for tests of what writes to them."""

import gzip
import hashlib
from pathlib import Path

CACHES = ("embeddings.db",)


def stores_below(folder: Path, *, sessions: bool = False, chroma: bool = True) -> dict[str, str]:
    """{file: hash of its content}, without caches and traces.

    Args:
        sessions: whether to include the file of open sessions.
        chroma: whether to include Chroma's files.
    """
    left_out = CACHES if sessions else (*CACHES, "sessions.db")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.startswith(left_out)
        and path.parent.name != "traces"
        and not path.name.endswith("-shm")  # SQLite's shared memory, which readers write
        and (chroma or path.relative_to(folder).parts[0] != "chroma")
    }


def files_with(words: bytes, folder: Path) -> list[str]:
    """Names of the files that contain these bytes in any case; traces are decompressed first."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and words.lower() in content(path).lower()
    )


def content(path: Path) -> bytes:
    """The bytes of a file, decompressed if it is a trace."""
    read = path.read_bytes()
    return gzip.decompress(read) if path.suffix == ".gz" else read
