"""Shares one client per database within a process.

A Chroma client takes threads, files and some 10 MB, and two clients of one folder discard what the
other has loaded. A PostgreSQL client holds a pool of connections.
"""

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary


class Closeable(Protocol):
    """Can be closed, and opens again when it is used."""

    def close(self) -> None:
        """Close it."""
        ...


C = TypeVar("C", bound=Closeable)


class Shared(Generic[C]):
    """The clients of this process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._clients: WeakValueDictionary[tuple[int, Hashable], C] = WeakValueDictionary()
        # keyed by process, since a forked process must not use its parent's client
        self._users: WeakKeyDictionary[object, C] = WeakKeyDictionary()
        # the client of each user; users that are garbage-collected drop out

    def of(self, key: Hashable, make: Callable[[], C], *, user: object) -> C:
        """The client for this key, made if there is none. `user` shares it until it leaves."""
        place = (os.getpid(), key)
        with self._guard:
            client = self._clients.get(place)
            if client is None:
                client = self._clients[place] = make()
            self._users[user] = client
            return client

    def leave(self, user: object) -> None:
        """Close the client of this user, unless another user shares it.

        If the user calls it later, it opens again.
        """
        with self._guard:
            client = self._users.pop(user, None)
            is_last = client is not None and client not in self._users.values()
        if client is not None and is_last:
            client.close()
