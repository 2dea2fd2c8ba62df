"""`recall.memories`: reads what is stored, and earlier versions of it."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from secondhop.given_values import check_counts, check_id, check_text, utc_given
from secondhop.memories import rules
from secondhop.memories.finding import with_words
from secondhop.memories.history import facts_in, history_of, version_of
from secondhop.memories.records import MemoryHistory, StoredFact, Version
from secondhop.memories.writing import MemoryWriting
from secondhop.stores.counters import Counters
from secondhop.stores.records import StoreCounts
from secondhop.sync import BackgroundLoop, blocking

PAGE = 500
"""How many memories are read at once when all are read."""


class MemoryReading:
    """Lists memories, and says whether they are valid. Writes nothing."""

    def __init__(self, writing: MemoryWriting, *, loop: BackgroundLoop) -> None:
        """Reads nothing yet."""
        self.writing, self._store, self._loop = writing, writing.store, loop

    async def aget(self, memory_id: str) -> Version:
        """A memory as it is now, and whether it is valid.

        Raises:
            UsageError: it is not stored.
        """
        now = self.writing.clock()
        return await self._store.look(
            lambda view: version_of(rules.existing(memory_id, view), view, now=now)
        )

    get = blocking(aget)

    async def alist(self, *, after: str = "", limit: int = 100) -> Sequence[Version]:
        """Memories as they are now, in the order of their ids.

        Args:
            after: begin after this id; "" is the beginning.
            limit: the most to return.
        """
        if after:
            check_id(after)
        check_counts(limit=limit)
        now = self.writing.clock()
        page = await self._store.page(after=after, limit=limit)
        return await self._store.look(
            lambda view: [version_of(memory, view, now=now) for memory, _ in page]
        )

    list = blocking(alist)

    async def afind(self, words: str) -> Sequence[Version]:
        """Memories with all these words in title, text or id; "" finds all. Reads every memory.

        First those whose id or title is exactly the words, then those whose title contains them,
        then the others; newest first in each group.
        """
        check_text(words, name="what is looked for")
        found: list[Version] = []
        while page := await self.alist(after=found[-1].memory_id if found else "", limit=PAGE):
            found += page
        return with_words(found, words)

    find = blocking(afind)

    async def acounts(self) -> StoreCounts:
        """How many memories and passages are stored."""
        return await self._store.counts()

    counts = blocking(acounts)

    async def ahistory(self, memory_id: str) -> MemoryHistory:
        """All versions of a memory, and what was done to them.

        Versions are the memories it superseded, those that superseded it, and their earlier texts
        (`replaced_at`).

        Raises:
            UsageError: it is not stored.
        """
        await self.writing.existing(memory_id)
        return await self._store.look(partial(history_of, memory_id, now=self.writing.clock()))

    history = blocking(ahistory)

    async def afacts(
        self,
        subject: str | None = None,
        attribute: str | None = None,
        *,
        as_of: datetime | None = None,
    ) -> Sequence[StoredFact]:
        """Facts by subject and attribute, newest first. Case and spaces do not matter.

        Args:
            as_of: what was known then; by default, what is true now.
        """
        for name, given in (("subject", subject), ("attribute", attribute)):
            if given is not None:
                check_text(given, name=name)
        moment, now = utc_given(as_of, name="as_of"), self.writing.clock()
        return await self._store.look(
            lambda view: facts_in(view, subject, attribute, as_of=moment, now=now)
        )

    facts = blocking(afacts)

    async def acounters(self, *memory_ids: str) -> dict[str, Counters]:
        """How often each was retrieved, shown and accepted."""
        for memory_id in memory_ids:
            check_id(memory_id)
        return await self.writing.counters.of(memory_ids)

    counters = blocking(acounters)
