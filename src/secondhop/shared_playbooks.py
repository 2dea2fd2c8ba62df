"""Shares playbooks within a process, per embedding model, because their vectors take megabytes."""

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
    """Playbooks, and the file that keeps their vectors."""

    def __init__(self, model: Embedder, cache: Path, *, intents: Sequence[Intent]) -> None:
        self._cache = CachingEmbedder(model, cache)
        self.playbooks = Playbooks(intents, embedder=self._cache)

    def close(self) -> None:
        """Close the file; others who use it open it again."""
        self._cache.close()


_guard = threading.Lock()
_known: WeakValueDictionary[tuple[int, int, Path, int], SharedPlaybooks] = WeakValueDictionary()
"""By process, model, cache file and intents: those of an `id` live as long as their playbooks."""


def shared_playbooks(model: Embedder, cache: Path, *, intents: Sequence[Intent]) -> SharedPlaybooks:
    """The playbooks of this model, those that others in this process use where there are any."""
    key = (os.getpid(), id(model), cache, id(intents))
    with _guard:
        found = _known.get(key)
        if found is None:
            found = _known[key] = SharedPlaybooks(model, cache, intents=intents)
        return found
