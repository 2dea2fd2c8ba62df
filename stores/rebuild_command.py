"""What to type so that the vectors of a store are mended or rebuilt: for messages."""

import shlex
from collections.abc import Sequence
from pathlib import Path


def rebuild_command(store: Path, *, entity: str | None = None, server: str | None = None) -> str:
    """`secondhop reindex` with the options that find this store, in backquotes.

    >>> rebuild_command(Path("my notes"), entity="me", server="http://localhost:8000")
    "`secondhop reindex --store 'my notes' --chroma http://localhost:8000 --entity me`"
    """
    return _command(["reindex"], store, entity=entity, server=server)


def mend_command(store: Path, *, entity: str, server: str | None = None) -> str:
    """`secondhop doctor --fix` with the options that find this entity, in backquotes.

    >>> mend_command(Path("notes"), entity="me")
    '`secondhop doctor --fix --store notes --entity me`'
    """
    return _command(["doctor", "--fix"], store, entity=entity, server=server)


def _command(words: Sequence[str], store: Path, *, entity: str | None, server: str | None) -> str:
    line = ["secondhop", *words, "--store", str(store)]
    line += ["--chroma", server] if server else []
    line += ["--entity", entity] if entity else []
    return f"`{shlex.join(line)}`"
