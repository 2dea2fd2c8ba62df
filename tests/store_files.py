"""What the files of a store hold, for tests of who writes into them."""

import gzip
import hashlib
from pathlib import Path

CACHES = ("embeddings.db",)


def stores_below(folder: Path, *, sessions: bool = False, chroma: bool = True) -> dict[str, str]:
    """Content hash of every file that is no cache and no trace.

    Args:
        sessions: those of open sessions, too.
        chroma: Chroma's own, too.
    """
    left_out = CACHES if sessions else (*CACHES, "sessions.db")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.startswith(left_out)
        and path.parent.name != "traces"
        and not path.name.endswith("-shm")  # SQLite's notes on who reads
        and (chroma or path.relative_to(folder).parts[0] != "chroma")
    }


def files_with(words: bytes, folder: Path) -> list[str]:
    """Names of all files that hold these bytes, whatever their case; traces are decompressed."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and words.lower() in content(path).lower()
    )


def content(path: Path) -> bytes:
    """What a file says."""
    read = path.read_bytes()
    return gzip.decompress(read) if path.suffix == ".gz" else read
