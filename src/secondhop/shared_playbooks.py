"""Shares playbooks within a process, because their vectors take megabytes."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.prompts.library import Intent


class SharedPlaybooks:
    """Playbooks, and the file that caches their vectors."""

    def __init__(self, model: Embedder, cache: Path, *, intents: Sequence[Intent]) -> None:
        self._cache = CachingEmbedder(model, cache)
        self.playbooks = Playbooks(intents, embedder=self._cache)

    def close(self) -> None:
        """Close the file; if others still use it, it opens again."""
        self._cache.close()


_guard = threading.Lock()
_known: WeakValueDictionary[tuple[int, int, Path, int], SharedPlaybooks] = WeakValueDictionary()
"""Keys: process id, id of the model, cache file, id of the intents. Playbooks keep their model and
intents alive, so neither `id` can be reused while its entry exists."""

_last: list[SharedPlaybooks] = []
"""The one used last. It stays when its last `Recall` is closed, because another often follows."""


def shared_playbooks(model: Embedder, cache: Path, *, intents: Sequence[Intent]) -> SharedPlaybooks:
    """The playbooks of this model; the same object for all callers in this process."""
    key = (os.getpid(), id(model), cache, id(intents))
    with _guard:
        found = _known.get(key)
        if found is None:
            found = _known[key] = SharedPlaybooks(model, cache, intents=intents)
        _last[:] = [found]
        return found
