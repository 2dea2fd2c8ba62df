"""Caches rows of a catalog until something in the catalog changes."""

import asyncio
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from secondhop.stores.database import Connection

T = TypeVar("T")
Rows: TypeAlias = Callable[[Connection, Sequence[str]], Mapping[str, T]]
"""A view that returns {id: what is stored of it}; unknown ids are left out."""

_MOST = 8_192
"""The most rows kept of one view. Beyond that, the cache of the view starts over."""


class KnownRows:
    """Caches the rows of views by id. Safe in any thread, and while other processes write.

    All happens in a worker thread, even if nothing is read: the stamp is asked of the database, and
    LangGraph's server refuses calls of SQLite on the event loop.
    """

    def __init__(self, read: Callable[..., Any], *, stamp: Callable[[], Hashable]) -> None:
        """`read`: see `Catalog.read`; `stamp`: see `Database.stamp`."""
        self._read, self._stamp = read, stamp
        self._guard = threading.Lock()
        self._at: Hashable = None
        self._rows: dict[object, dict[str, Any]] = {}

    async def of(self, view: Rows[T], ids: Sequence[str]) -> dict[str, T]:
        """{id: what the view reads of it}, in the order of `ids`."""
        read = partial(self._read, view)
        return await asyncio.to_thread(self._known, view, ids, read)

    async def whole(self, view: Callable[[Connection], T]) -> T:
        """The result of a view that takes no ids. Callers must not change it."""
        found: dict[str, T] = await asyncio.to_thread(
            self._known, view, [""], lambda _: {"": self._read(view)}
        )
        return found[""]

    def _known(
        self, view: object, ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, T]]
    ) -> dict[str, T]:
        stamp = self._stamp()  # before reading: rows may be newer than their stamp, not older
        found = self._kept(stamp, view, ids)
        missing = [one for one in ids if one not in found]
        if missing:
            fresh = read(missing)
            self._keep(stamp, view, fresh)
            found.update(fresh)
        return {one: found[one] for one in ids if one in found} if missing else found

    def _kept(self, stamp: Hashable, view: object, ids: Sequence[str]) -> dict[str, Any]:
        with self._guard:
            if stamp is None or stamp != self._at:
                self._at = stamp
                self._rows.clear()
            rows = self._rows.get(view, {})
            return {one: rows[one] for one in ids if one in rows}

    def _keep(self, stamp: Hashable, view: object, fresh: Mapping[str, Any]) -> None:
        with self._guard:
            if stamp is None or stamp != self._at:
                return
            rows = self._rows.setdefault(view, {})
            if len(rows) + len(fresh) > _MOST:
                rows.clear()
            rows.update(fresh)
