"""All errors that secondhop raises on purpose, as one tree.

SecondhopError
├── UsageError                 the caller asked for something impossible (recall with k = 0)
│   ├── SettingError           a setting of `Config` has a value that it cannot have
│   └── NotStoredError         no memory, cue or trace of this id is stored
├── UnknownEntityError         nothing is stored for this entity
├── IngestError                nothing in the input could be stored
├── StoreError                 the store could not do its work
│   ├── EmbedderMismatchError  built with another embedding model
│   ├── SchemaVersionError     written by a newer secondhop
│   ├── CorruptStoreError      the vectors cannot be read; `secondhop reindex` rebuilds them
│   ├── StoreBusyError         another process has been writing for too long
│   ├── StoreUnavailableError  a server that holds part of the store does not answer, or it is gone
│   ├── StoreFullError         the disk is full; what was acknowledged before is kept
│   ├── ReadOnlyStoreError     the folder cannot be written, and even reading writes beside a file
│   └── UnfinishedForgettingError  a `forget` has begun; opening the entity finishes it
├── ModelError                 a model could not be loaded, reached or understood
│   └── ModelUnavailableError  the default model is not on this machine and may not be fetched
└── SessionError               a session cannot do what was asked of it
    ├── UnknownSessionError    no session of this entity has this id
    ├── SessionOverError       the session has ended
    │   ├── SessionExpiredError, SessionResolvedError, SessionAbandonedError
    ├── RoundMovedOnError      another vote came first, and the round is over
    ├── NoRoundsLeftError      the session has given its last answer; resolve it
    └── VoteRefusedError       this memory cannot be voted on
        ├── UnknownMemoryError the session has never seen it
        └── NotShownError      the answer does not show it

The message says what happened, then what to do; numbers stay on the error as attributes.
"""

from collections.abc import Sequence

from secondhop.wording import command


class SecondhopError(Exception):
    """Base of all errors that secondhop raises on purpose."""


class UsageError(SecondhopError):
    """The caller asked for something impossible."""


class SettingError(UsageError, ValueError):
    """A setting of `Config` has a value that it cannot have; pydantic wants a ValueError here."""


class NotStoredError(UsageError):
    """No memory, cue or trace of this id is stored for the entity."""

    def __init__(self, what: str, *, cure: str = "") -> None:
        """`cure`: what to do about it, with commands and methods; a server says it otherwise."""
        super().__init__(f"{what}; {cure}" if cure else what)
        self.what = what


class UnknownEntityError(SecondhopError):
    """Nothing is stored for this entity."""

    def __init__(
        self,
        entity: str,
        *,
        store: str,
        cure: str = "check both names, or store something first",
        others: Sequence[str] = (),
    ) -> None:
        """`others`: the store's entities, if the caller may see them; the message names five."""
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        known = f" (it has {', '.join(map(repr, others[:5]))}{more})" if others else ""
        super().__init__(f"no memory is stored for entity {entity!r} in {store}{known}; {cure}")
        self.entity, self.store = entity, store


class IngestError(SecondhopError):
    """Nothing in the input could be stored."""


class StoreError(SecondhopError):
    """The store could not do its work."""


class EmbedderMismatchError(StoreError):
    """The store was built with a different embedding model from the one it is opened with."""

    def __init__(self, *, built_with: str, opened_with: str, store: str) -> None:
        super().__init__(
            f"the store {store} was built with embedding model {built_with!r} and is opened with "
            f"{opened_with!r}; open it with the model it was built with, or re-embed every memory "
            f"with the new one: {command('reindex', '--store', store)}, with the new --embedder"
        )
        self.built_with, self.opened_with, self.store = built_with, opened_with, store


class SchemaVersionError(StoreError):
    """The store was written by a newer secondhop."""

    def __init__(self, *, found: int, known: int, path: str) -> None:
        super().__init__(
            f"{path} has schema version {found}, but this secondhop knows versions up to {known} "
            f"only; upgrade secondhop; nothing was changed"
        )
        self.found, self.known, self.path = found, known, path


class CorruptStoreError(StoreError):
    """A part of the store cannot be read."""


class StoreBusyError(StoreError):
    """Somebody else, here or in another process, has been writing to the entity for too long, or
    uses it; try again later."""


class StoreUnavailableError(StoreError):
    """PostgreSQL, Chroma or Redis does not answer, an open store's folder is gone, or a session was
    not read in time."""


class StoreFullError(StoreError):
    """The disk is full; everything acknowledged before is kept."""


class ReadOnlyStoreError(StoreError):
    """The folder of the store cannot be written, which even reading needs."""


class UnfinishedForgettingError(StoreError):
    """Forgetting was interrupted before it was complete."""

    def __init__(self, memory_ids: Sequence[str], *, reason: str) -> None:
        super().__init__(
            f"forgetting {', '.join(memory_ids)} has begun and is not finished; files may still "
            f"hold their text. Once the cause is gone, opening the entity or another `forget` "
            f"finishes it. The cause: {reason}"
        )
        self.memory_ids = list(memory_ids)


class ModelError(SecondhopError):
    """A model could not be loaded, reached or understood."""


class ModelUnavailableError(ModelError):
    """The default model is not on this machine and may not, or could not, be fetched."""


class SessionError(SecondhopError):
    """A session cannot do what was asked of it."""


class UnknownSessionError(SessionError):
    """No session of this entity has this id, or it ended long ago.

    Another entity's session gets the same message, so that a stranger cannot learn that it exists.
    """

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"no session {session_id!r} is known for this entity; it ended more than an hour ago, "
            f"or was started for another entity or in another store; start a new session"
        )
        self.session_id = session_id


class SessionOverError(SessionError):
    """The session has ended; its votes and ids are gone."""

    how = "is over"

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id!r} {self.how}; start a new one")
        self.session_id = session_id


class SessionExpiredError(SessionOverError):
    """The session ended because no vote came in time."""

    how = "has expired: no vote came in time"


class SessionResolvedError(SessionOverError):
    """The session ended because its answer was accepted."""

    how = "was resolved already"


class SessionAbandonedError(SessionOverError):
    """The session ended because the caller gave it up."""

    how = "was abandoned"


class RoundMovedOnError(SessionError):
    """Another vote came first; these votes were for a round that is over, so none counts."""

    def __init__(self, session_id: str, *, voted: int, current: int) -> None:
        super().__init__(
            f"the votes were for round {voted} of session {session_id!r}, and that round is over; "
            f"none of them was counted: look at the answer of round {current} and vote on it"
        )
        self.session_id, self.voted, self.current = session_id, voted, current


class NoRoundsLeftError(SessionError):
    """The session has given its last answer."""

    def __init__(self, session_id: str, *, max_rounds: int) -> None:
        super().__init__(
            f"session {session_id!r} has given all {max_rounds} answers; resolve it with the "
            f"memories that helped, or start a new one"
        )
        self.session_id, self.max_rounds = session_id, max_rounds


class VoteRefusedError(SessionError):
    """A memory cannot be voted on or accepted; no vote of the same call counts."""


class UnknownMemoryError(VoteRefusedError):
    """The session has never seen this memory."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"no memory {memory_id!r} is known to this session; vote with the ids of its answer"
        )
        self.memory_id = memory_id


class NotShownError(VoteRefusedError):
    """The memory was found, but the answer does not show it."""

    def __init__(self, memory_id: str, *, round_number: int) -> None:
        super().__init__(
            f"memory {memory_id!r} is not in the answer of round {round_number}; "
            f"vote on memories that the answer shows"
        )
        self.memory_id, self.round = memory_id, round_number


def said_by_system(error: Exception) -> str:
    """What went wrong with a file, without the error number and the path.

    >>> said_by_system(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'No such file or directory'
    """
    told = error.strerror if isinstance(error, OSError) else None
    return told or str(error)
