"""The command that repairs or rebuilds a store's vectors, for messages."""

from collections.abc import Sequence

from secondhop.wording import command


def rebuild_command(store: str, *, entity: str | None = None, server: str | None = None) -> str:
    """`secondhop reindex` with the options that find this store, in backquotes.

    >>> rebuild_command("my notes", entity="me", server="http://localhost:8000")
    "`secondhop reindex --store 'my notes' --chroma http://localhost:8000 --entity me`"
    """
    return _command(["reindex"], store, entity=entity, server=server)


def rebuild_advice(store: str, *, entity: str | None = None, server: str | None = None) -> str:
    """What to do if vectors are lost."""
    advice = f"{rebuild_command(store, entity=entity, server=server)} rebuilds the vectors"
    if server:
        return advice
    return f"{advice}, unless they are on a Chroma server: then name it with --chroma"


def mend_command(store: str, *, entity: str, server: str | None = None) -> str:
    """`secondhop doctor --fix` with the options that find this entity, in backquotes.

    >>> mend_command("notes", entity="me")
    '`secondhop doctor --fix --store notes --entity me`'
    """
    return _command(["doctor", "--fix"], store, entity=entity, server=server)


def _command(words: Sequence[str], store: str, *, entity: str | None, server: str | None) -> str:
    line = [*words, "--store", store]
    line += ["--chroma", server] if server else []
    line += ["--entity", entity] if entity else []
    return command(*line)
