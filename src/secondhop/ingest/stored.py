"""What a store holds when an ingest begins, without texts."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256

from secondhop.stores.entity_store import EntityStore


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Each mapping is by memory id, of everything in the store."""

    hashes: Mapping[str, str] = field(default_factory=lambda: {})
    """Of the content."""
    origins: Mapping[str, str] = field(default_factory=lambda: {})
    """Where it was read from."""
    dates: Mapping[str, datetime] = field(default_factory=lambda: {})
    cues: Mapping[str, str] = field(default_factory=lambda: {})
    """Fingerprint of the cues that came with it."""
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {})
    """Memories without tags may be left out."""

    def of_file(self, path: str, *, origin: str) -> dict[str, str]:
        """{anchor: memory id} of a file's parts; "" is the anchor of the file itself."""
        mark = mark_of(origin)
        ids = [one for one in (path, path + mark) if one in self.hashes]
        first, end = (bisect_left(self._sorted, path + limit) for limit in ("#", "$"))
        ids += self._sorted[first:end]
        return {one[len(path) :].removeprefix("#").removesuffix(mark): one for one in ids}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.hashes)


NOTHING = Stored()


async def stored_in(store: EntityStore) -> Stored:
    """What this store holds now."""
    return Stored(
        hashes=await store.content_hashes(),
        origins=await store.origins(),
        dates=await store.dates(),
        cues=await store.cues.fingerprints(),
        tags=await store.tags(),
    )


def mark_of(origin: str) -> str:
    """What ends an id that is taken by another origin (two folders may each hold a `todo.md`)."""
    return f"@{sha256(origin.encode()).hexdigest()[:8]}"
