"""One Chroma client a folder and process.

A client takes threads, files and some 10 MB, and two clients of one folder throw away what the
other one has loaded.
"""

import os
import threading
from pathlib import Path
from weakref import WeakKeyDictionary, WeakValueDictionary

from secondhop.stores.vectors.chroma_folder import ChromaFolder

_guard = threading.Lock()
_clients: WeakValueDictionary[tuple[int, Path], ChromaFolder] = WeakValueDictionary()
"""By process, since a forked one must not go on with its parent's client, and by folder."""
_users: WeakKeyDictionary[object, ChromaFolder] = WeakKeyDictionary()
"""Which client each user has: an object that has gone uses none."""


def folder_client(store: Path, *, user: object) -> ChromaFolder:
    """The client of a store's folder, for `user` until it calls `leave_client`."""
    key = (os.getpid(), store.resolve())
    with _guard:
        client = _clients.get(key)
        if client is None:
            place = store.absolute()
            client = _clients[key] = ChromaFolder(place / "chroma", locks=place / "locks")
        _users[user] = client
        return client


def leave_client(user: object) -> None:
    """Close the client of this user, unless another one has it, too.

    A user that goes on makes it open again.
    """
    with _guard:
        client = _users.pop(user, None)
        is_last = client is not None and client not in _users.values()
    if client is not None and is_last:
        client.close()
