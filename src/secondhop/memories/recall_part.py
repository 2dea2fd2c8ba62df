"""The part of `Recall` that keeps single memories: remember, correct, forget."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from secondhop.blocking import blocking
from secondhop.given_values import check_moments, check_rememberable
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.memories.building import Rememberable
from secondhop.memories.detector import Suspicion
from secondhop.memories.records import Accepted, Forgotten, Kept, MemoryHistory, StoredFact
from secondhop.memories.service import Forgets, Keeper
from secondhop.nodes.services import Services
from secondhop.stores.counters import Counters
from secondhop.stores.keeping import Mark
from secondhop.sync_door import SyncDoor
from secondhop.traces import TraceFolder


class KeepsMemories:
    """Methods of `Recall`; each has an async form, and `dry_run` writes nothing."""

    _keeper: Keeper
    _services: Services
    _traces: TraceFolder
    _door: SyncDoor

    async def aremember(
        self,
        what: Rememberable,
        *,
        title: str = "",
        at: datetime | None = None,
        valid_until: datetime | None = None,
        salience: float | None = None,
        mark: Mark = "",
        supersedes: Sequence[str] = (),
        memory_id: str | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Store one memory: words, a `Fact` or a `Preference`.

        A fact supersedes what was known of the same subject and attribute, a preference what was
        said of the same scope and topic; by date, so that what comes late takes its place in the
        past. What says the same as what holds is not stored again.

        Args:
            what: words are continuity: they supersede only what `supersedes` names.
            title: default the first words, or the names of the fact.
            at: when it was written; default now.
            valid_until: it does not come back from then on.
            salience: how much it matters, 0..1; 0.5 when nobody says.
            mark: what a session start makes of it: "core" is always shown, "open" is a thing to do
                or a thread that was left open (docs/briefing.md).
            supersedes: ids of memories whose place it takes.
            memory_id: default one of its own.

        Raises:
            UsageError: nothing to remember, an id that is taken, or one that is not stored.
        """
        check_rememberable(what)
        check_moments(at=at, valid_until=valid_until)
        return await self._keeper.remember(
            what,
            title=title,
            at=at,
            valid_until=valid_until,
            salience=salience,
            mark=mark,
            supersedes=supersedes,
            memory_id=memory_id,
            dry_run=dry_run,
        )

    remember = blocking(aremember)

    async def aupdate(
        self,
        memory_id: str,
        what: Rememberable | None = None,
        *,
        at: datetime | None = None,
        valid_until: datetime | Literal[""] | None = None,
        salience: float | None = None,
        mark: Mark | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Say a memory anew, or change its expiry, salience or mark.

        Said anew it is another memory, with an id of its own, which supersedes the old one.

        Args:
            what: for a fact its new value, for a preference its new text; None: the words stay.
            valid_until: None: it stays, but not when it is said anew; "" takes it away.
            mark: None: it stays, also when it is said anew; "" takes it away.

        Raises:
            UsageError: it is not stored, or was superseded already.
        """
        if what is not None:
            check_rememberable(what)
        check_moments(at=at, valid_until=None if valid_until == "" else valid_until)
        return await self._keeper.update(
            memory_id,
            what,
            at=at,
            valid_until=valid_until,
            salience=salience,
            mark=mark,
            dry_run=dry_run,
        )

    update = blocking(aupdate)

    async def asupersede(
        self, old_id: str, new_id: str, *, reason: str = "", dry_run: bool = False
    ) -> Kept:
        """Let one stored memory take another's place, from its date on.

        Raises:
            UsageError: one is not stored, the old one has a successor, or it would be a circle.
        """
        return await self._keeper.supersede(old_id, new_id, reason=reason, dry_run=dry_run)

    supersede = blocking(asupersede)

    async def adeprecate(
        self, memory_id: str, reason: str, *, at: datetime | None = None, dry_run: bool = False
    ) -> Kept:
        """Let a memory come back no more, though nothing takes its place; `restore` undoes it.

        Args:
            at: from when on; default now.

        Raises:
            UsageError: it is not stored.
        """
        check_moments(at=at)
        return await self._keeper.deprecate(memory_id, reason, at=at, dry_run=dry_run)

    deprecate = blocking(adeprecate)

    async def arestore(self, memory_id: str, *, dry_run: bool = False) -> Kept:
        """Let a superseded, deprecated or expired memory hold again.

        Raises:
            UsageError: it is not stored.
        """
        return await self._keeper.restore(memory_id, dry_run=dry_run)

    restore = blocking(arestore)

    async def aforget(self, *memory_ids: str, dry_run: bool = False) -> Forgotten:
        """Delete memories for good: text, vectors, word index, caches, and traces that name them.

        What they were read from is not touched: an ingest of the same file brings them back.

        Raises:
            UsageError: one is not stored; nothing was forgotten.
        """
        return await self._keeper.forget(*memory_ids, dry_run=dry_run)

    forget = blocking(aforget)

    async def ahistory(self, memory_id: str) -> MemoryHistory:
        """All versions of a memory, and what was done to them.

        Versions are what it superseded, what superseded it, and what each of them said before
        another text was put under its id (`replaced_at`).

        Raises:
            UsageError: it is not stored.
        """
        return await self._keeper.history(memory_id)

    history = blocking(ahistory)

    async def afacts(
        self,
        subject: str | None = None,
        attribute: str | None = None,
        *,
        as_of: datetime | None = None,
    ) -> list[StoredFact]:
        """Facts by their exact names, case and spaces apart, the newest first.

        Args:
            as_of: what was believed then; default what holds now.
        """
        check_moments(as_of=as_of)
        return await self._keeper.facts(subject, attribute, as_of=as_of)

    facts = blocking(afacts)

    async def afind_superseded(
        self, *, apply: bool = False, dry_run: bool = False
    ) -> list[Suspicion]:
        """What newer memories seem to have replaced, by what they say; the surest first.

        Nothing is hidden by a suspicion. English texts; facts and preferences need no detector.

        Args:
            apply: believe it, and let each newer one take the older one's place. Of ten such
                pairs in the labelled scenarios nine were right: look at them first.
        """
        threshold = self._services.scale.successor_at
        return await self._keeper.find_superseded(apply=apply, dry_run=dry_run, threshold=threshold)

    find_superseded = blocking(afind_superseded)

    async def aaccept(
        self,
        trace: str | RecallTrace | RecallResult,
        memory_ids: Sequence[str] = (),
        *,
        at: datetime | None = None,
        dry_run: bool = False,
    ) -> Accepted:
        """Say which memories of a recall were of use; the rest was retrieved or shown.

        The three are counted apart, in a file that no recall writes to; only what was accepted
        makes a memory stronger. A recall counts once.

        Args:
            trace: of the recall, its id, or its result.
            memory_ids: none: nothing was of use.

        Raises:
            UsageError: no such trace is kept, or it did not return one of the memories.
        """
        check_moments(at=at)
        told = trace.trace_id if isinstance(trace, RecallResult) else trace
        story = self._traces.load(told) if isinstance(told, str) else told
        return await self._keeper.accept(story, memory_ids, at=at, dry_run=dry_run)

    accept = blocking(aaccept)

    async def acounters(self, *memory_ids: str) -> dict[str, Counters]:
        """How often each was retrieved, shown and accepted."""
        return await self._keeper.counters.of(memory_ids)

    counters = blocking(acounters)

    @property
    def forgetting(self) -> list[Forgets]:
        """Who else forgets what `forget` forgets; whoever keeps what it learned joins the list."""
        return self._keeper.forgetting
