"""Shares one client per database within a process.

A client of Chroma takes threads, files and some 10 MB, and two clients of one folder throw away
what the other one has loaded; one of PostgreSQL holds a pool of connections.
"""

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary


class Closeable(Protocol):
    """What may be closed, and opens again when it is used."""

    def close(self) -> None:
        """Close it."""
        ...


C = TypeVar("C", bound=Closeable)


class Shared(Generic[C]):
    """The clients of this process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._clients: WeakValueDictionary[tuple[int, Hashable], C] = WeakValueDictionary()
        # by process, since a forked one must not go on with its parent's client
        self._users: WeakKeyDictionary[object, C] = WeakKeyDictionary()
        # which client each user has: an object that has gone uses none

    def of(self, key: Hashable, make: Callable[[], C], *, user: object) -> C:
        """The client of this database, for `user` until it leaves."""
        place = (os.getpid(), key)
        with self._guard:
            client = self._clients.get(place)
            if client is None:
                client = self._clients[place] = make()
            self._users[user] = client
            return client

    def leave(self, user: object) -> None:
        """Close the client of this user, unless another one has it, too.

        A user that goes on makes it open again.
        """
        with self._guard:
            client = self._users.pop(user, None)
            is_last = client is not None and client not in self._users.values()
        if client is not None and is_last:
            client.close()
