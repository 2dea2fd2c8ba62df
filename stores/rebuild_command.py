"""What to type so that the vectors of a store are rebuilt: for messages."""

import shlex
from pathlib import Path


def rebuild_command(store: Path, *, entity: str | None = None, server: str | None = None) -> str:
    """`secondhop reindex` with the options that find this store, in backquotes.

    >>> rebuild_command(Path("my notes"), entity="me", server="http://localhost:8000")
    "`secondhop reindex --store 'my notes' --chroma http://localhost:8000 --entity me`"
    """
    words = ["secondhop", "reindex", "--store", str(store)]
    words += ["--chroma", server] if server else []
    words += ["--entity", entity] if entity else []
    return f"`{shlex.join(words)}`"
