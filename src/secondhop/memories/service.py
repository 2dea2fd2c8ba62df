"""`recall.memories`: remembers, corrects and forgets single memories of one entity.

A correction loses nothing: the old memory stays, superseded, with its history. Only `forget`
deletes.
"""

from collections.abc import Callable, Iterable, MutableSequence, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from secondhop.errors import UsageError
from secondhop.given_values import (
    check_counts,
    check_id,
    check_rememberable,
    check_storable,
    listed,
    only_memories,
    utc_given,
)
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.ingest.ledger import IngestLedger
from secondhop.ingest.pipeline import ingest_memories
from secondhop.ingest.run import IngestProgress
from secondhop.memories import rules
from secondhop.memories.building import (
    Rememberable,
    expired_notice,
    future_notice,
    given_title,
    new_memory,
    reworded,
    same_words_since,
)
from secondhop.memories.forgetting import Forgetter
from secondhop.memories.reading import MemoryReading
from secondhop.memories.records import Accepted, Forgotten, Kept
from secondhop.memories.writing import Forgets, MemoryWriting
from secondhop.models.llm import StructuredLLM
from secondhop.moments import in_utc
from secondhop.nodes.config import BriefingSettings
from secondhop.stores.counters import Use
from secondhop.stores.keeping import Keeping, Mark
from secondhop.stores.records import Memory
from secondhop.sync import BackgroundLoop, blocking
from secondhop.traces import TraceFolder
from secondhop.wording import shown

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from secondhop.briefing.briefing import Briefing
    from secondhop.memories.cues import Cues
    from secondhop.observe.records import Observed, Sayable
    from secondhop.observe.service import ConversationReading


class MemoryService(MemoryReading):
    """Writes, corrects, lists and forgets memories. `dry_run` writes nothing.

    Every method has an async form, whose name begins with "a".
    """

    def __init__(
        self,
        writing: MemoryWriting,
        *,
        traces: TraceFolder,
        reading: "Callable[[], ConversationReading]",
        cues: "Callable[[], Cues]",
        briefing: BriefingSettings,
        loop: BackgroundLoop,
    ) -> None:
        """
        Args:
            reading: makes the reader of conversations for `observe`.
            cues: makes `Cues` when it is first needed.
            briefing: the limit and the shares of a briefing, unless a call gives others.
        """
        super().__init__(writing, loop=loop)
        self._traces = traces
        self.forgetter = Forgetter(writing=writing, traces=traces)
        self._reading, self._cues, self._briefing = reading, cues, briefing

    @cached_property
    def cues(self) -> "Cues":
        """The cues of memories: list, add or remove them, or let a model write them."""
        return self._cues()

    @property
    def forgetting(self) -> MutableSequence[Forgets]:
        """Steps that `forget` also runs; add your own to the list for data that you keep about
        memories."""
        return self.writing.forgetting

    async def aadd(
        self, memories: Iterable[Memory], *, progress: IngestProgress | None = None
    ) -> IngestLedger:
        """Store memories that you built yourself; nothing is deleted. An empty list is no error.

        If an id is taken, the new text replaces the old one, which stays as an earlier version in
        `history`. No version is kept if the text is the same, or if the new text begins with it (a
        chat that went on).

        Raises:
            UsageError: an item is not a `Memory`; items before it may be stored.
        """
        return await ingest_memories(
            only_memories(memories),
            writer=self._store,
            embedder=self.writing.embedder,
            progress=progress,
        )

    add = blocking(aadd)

    async def aremember(
        self,
        what: Rememberable,
        *,
        title: str = "",
        at: datetime | None = None,
        valid_until: datetime | None = None,
        salience: float | None = None,
        mark: Mark = "",
        tags: Sequence[str] = (),
        supersedes: Sequence[str] = (),
        memory_id: str | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Store one memory: words, a `Fact` or a `Preference`.

        A fact supersedes an earlier one with the same subject and attribute, a preference one with
        the same scope and topic. Dates decide: a fact with an older date becomes an earlier value.
        A memory that repeats a current one is not stored again.

        Args:
            what: plain words supersede only what `supersedes` names.
            title: default the first words, or the names of the fact.
            at: when it was written; default now.
            valid_until: when it expires.
            salience: how much it matters, 0..1; default 0.5.
            mark: for briefings: "core" is always shown, "open" is a thing to do or an open thread
                (docs/briefing.md).
            tags: to filter by (`recall(…, where=Where(tags=…))`).
            supersedes: ids of memories that it replaces, whatever their dates.
            memory_id: default a new one.

        Raises:
            UsageError: nothing to remember, an id that is taken, or one that is not stored.
        """
        listed(supersedes, name="supersedes", of="ids")
        moment = utc_given(at, name="at") or self.writing.clock()
        memory = new_memory(what, title=title, at=moment, tags=tags, memory_id=memory_id)
        keeping = Keeping(
            valid_until=utc_given(valid_until, name="valid_until"),
            salience=rules.checked_salience(salience),
            mark=rules.checked_mark(mark),
        )
        since = None if memory_id else same_words_since(moment, given=at is not None)
        return await self._enter(
            memory, keeping, supersedes=supersedes, same_words_since=since, dry_run=dry_run
        )

    remember = blocking(aremember)

    async def _enter(
        self,
        memory: Memory,
        keeping: Keeping,
        *,
        supersedes: Sequence[str],
        same_words_since: datetime | None = None,
        dry_run: bool,
    ) -> Kept:
        now = self.writing.clock()
        deciding = partial(
            rules.decide_new,
            memory,
            keeping=keeping,
            supersedes=supersedes,
            at=now,
            same_words_since=same_words_since,
        )
        kept = await self.writing.enter(memory, deciding, dry_run=dry_run)
        late = expired_notice(kept, keeping, now=now)
        early = "" if kept.done == "unchanged" else future_notice(memory, now=now)
        notices = [late or kept.notice, early]
        return kept.model_copy(update={"notice": "; ".join(filter(None, notices))})

    async def aupdate(
        self,
        memory_id: str,
        what: Rememberable | None = None,
        *,
        at: datetime | None = None,
        valid_until: datetime | Literal[""] | None = None,
        salience: float | None = None,
        mark: Mark | None = None,
        new_id: str | None = None,
        dry_run: bool = False,
    ) -> Kept:
        """Replace a memory by a new version, or change its expiry, salience or mark.

        A new version is a memory with its own id, which supersedes the old one.

        Args:
            what: the new value of a fact, the new text of another memory; None: the text stays. The
                new version keeps title, source, tags, salience and mark.
            valid_until: None: unchanged, but a new version has none; "" removes it.
            mark: None: unchanged; "" removes it.
            new_id: id of the new version; default a new one.

        Raises:
            UsageError: it is not stored, or was superseded already.
        """
        at, until = utc_given(at, name="at"), utc_given(valid_until or None, name="valid_until")
        if what is not None:
            check_rememberable(what)
            old = await self.writing.existing(memory_id)
            kept = await self._store.look(lambda view: view.keeping(memory_id))
            memory = new_memory(
                reworded(old, what),
                title=given_title(old),
                at=at or self.writing.clock(),
                tags=old.tags,
                memory_id=new_id,
            )
            keeping = Keeping(
                valid_until=until,
                salience=kept.salience if salience is None else rules.checked_salience(salience),
                mark=kept.mark if mark is None else rules.checked_mark(mark),
            )
            if memory.kind == old.kind:
                memory = replace(memory, source=old.source)
            return await self._enter(memory, keeping, supersedes=[memory_id], dry_run=dry_run)
        decide = partial(
            rules.change,
            memory_id,
            at=self.writing.clock(),
            valid_until=until or valid_until,
            salience=salience,
            mark=mark,
        )
        return await self.writing.change(memory_id, decide, dry_run=dry_run)

    update = blocking(aupdate)

    async def asupersede(
        self, old_id: str, new_id: str, *, reason: str = "", dry_run: bool = False
    ) -> Kept:
        """Let one stored memory replace another, from the newer one's date on.

        If the new one has no cues, it gets copies of those of the old one.
        `notice` warns if a fact replaces one with another subject or attribute, or if the new one
        has ended.

        Raises:
            UsageError: one is not stored, the old one has a successor, or they would replace each
                other.
        """
        check_storable(reason, name="the reason")
        decide = partial(
            rules.supersede, old_id, new_id, at=self.writing.clock(), reason=reason.strip()
        )
        kept = await self.writing.change(old_id, decide, dry_run=dry_run)
        if not dry_run:
            await self.writing.take_cues(new_id, [old_id])
        old, new = [await self.writing.existing(one) for one in (old_id, new_id)]
        keeping = await self._store.look(lambda view: view.keeping(new_id))
        end = keeping.end(now=self.writing.clock())
        ended = f"{new_id} no longer holds itself: {end.describe()}" if end else ""
        notices = filter(None, [rules.unlike(old, new), ended])
        return kept.model_copy(update={"notice": "; ".join(notices)})

    supersede = blocking(asupersede)

    async def adeprecate(
        self, memory_id: str, reason: str, *, at: datetime | None = None, dry_run: bool = False
    ) -> Kept:
        """Say that a memory is no longer true, though nothing replaces it.

        `restore` undoes it.

        Args:
            at: from when on; default now.

        Raises:
            NotStoredError: it is not stored.
        """
        check_storable(reason, name="the reason")
        moment = utc_given(at, name="at") or self.writing.clock()
        decide = partial(rules.deprecate, memory_id, reason.strip(), at=moment)
        return await self.writing.change(memory_id, decide, dry_run=dry_run)

    deprecate = blocking(adeprecate)

    async def arestore(self, memory_id: str, *, dry_run: bool = False) -> Kept:
        """Make a superseded, deprecated or expired memory valid again.

        Raises:
            NotStoredError: it is not stored.
        """
        decide = partial(rules.restore, memory_id, at=self.writing.clock())
        return await self.writing.change(memory_id, decide, dry_run=dry_run)

    restore = blocking(arestore)

    async def aforget(self, *memory_ids: str, dry_run: bool = False) -> Forgotten:
        """Delete memories for good: text, vectors, word index, caches, and their words in traces.

        The files they came from stay: an ingest of the same file brings them back.

        Raises:
            NotStoredError: one is not stored; nothing was forgotten.
            UnfinishedForgettingError: begun but not finished; opening the entity finishes it.
        """
        for memory_id in memory_ids:
            check_id(memory_id)
        return await self.forgetter.forget(memory_ids, dry_run=dry_run)

    forget = blocking(aforget)

    async def aobserve(
        self,
        messages: "Sequence[Sayable]",
        *,
        at: datetime | None = None,
        keep_as: str = "",
        title: str = "",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        dry_run: bool = False,
    ) -> "Observed":
        """Read facts and preferences from a conversation, and write what is new.

        Nothing is overwritten: a replaced memory stays, superseded; if a contradiction cannot be
        decided, both are kept. The same messages again write nothing.

        Args:
            messages: in the order they were said; only what "user" says is about the user.
            at: when messages without a date of their own were said; default now.
            keep_as: keep the conversation itself, too, as a continuity memory of this id; what is
                new in the messages is added to it. "": do not.
            title: title of that memory; default the first words, or the title it has.
            llm: reads the messages, instead of the model given to `open`; "offline" for no model.
            dry_run: write nothing; report what would be done.

        Raises:
            UsageError: a message has no role or content, or an invalid date.
        """
        return await self._reading().observe(
            messages,
            at=utc_given(at, name="at"),
            keep_as=keep_as,
            title=title,
            llm=llm,
            dry_run=dry_run,
        )

    observe = blocking(aobserve)

    async def aaccept(
        self,
        trace: str | RecallTrace | RecallResult,
        memory_ids: Sequence[str] = (),
        *,
        at: datetime | None = None,
        dry_run: bool = False,
    ) -> Accepted:
        """Say which memories of a recall were useful.

        Retrieved, shown and accepted memories are counted separately, in a file that recalls do not
        write. Only acceptance makes a memory stronger. A recall counts once.

        Args:
            trace: the recall's trace, its id, or its result.
            memory_ids: the useful ones; without any, nothing was useful.

        Raises:
            UsageError: no such trace is kept, or it did not return one of the memories.
        """
        used_at = utc_given(at, name="at") or self.writing.clock()
        given = trace.trace_id if isinstance(trace, RecallResult) else trace
        story: object = self._traces.load(given) if isinstance(given, str) else given
        if not isinstance(story, RecallTrace):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"the trace must be a result, a trace or its id, not {shown(trace)}")
        listed(memory_ids, name="memory_ids", of="ids")
        for one in memory_ids:
            check_id(one, name="each of memory_ids")
        accepted = list(dict.fromkeys(memory_ids))
        if missing := sorted(set(accepted) - set(story.returned)):
            raise UsageError(
                f"recall {story.trace_id} did not return {', '.join(missing)}; only memories that "
                f"it showed can have been useful"
            )
        use = Use(
            trace_id=story.trace_id,
            at=used_at,
            retrieved=[*(one.memory_id for one in story.candidates), *story.rest],
            shown=story.returned,
            accepted=accepted,
        )
        return Accepted(
            trace_id=use.trace_id,
            retrieved=len(use.retrieved),
            shown=len(use.shown),
            accepted=accepted,
            counted=0 if dry_run else await self.writing.counters.count(use),
            dry_run=dry_run,
        )

    accept = blocking(aaccept)

    async def abriefing(
        self,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        settings: BriefingSettings | None = None,
    ) -> "Briefing":
        """What to know when a chat starts, before anything is asked (docs/briefing.md).

        Core memories, what was left open, preferences, and what is new. Writes nothing, asks no
        model, embeds nothing. An entity without memories gets an empty briefing.

        Args:
            limit: entries; default `BriefingSettings.limit` (20).
            tokens: instead of `limit`, the size of its text. Core memories are shown even beyond
                it.
            at: "now"; memories written later are left out. By default the clock, and nothing is
                left out.
            settings: the limit and the shares of its parts.

        Raises:
            UsageError: a limit below 1, or both.
        """
        from secondhop.briefing.sources import BriefingAsked
        from secondhop.briefing.start import brief

        check_counts(limit=limit, tokens=tokens)
        until = utc_given(at, name="at")
        asked = BriefingAsked(
            now=until or in_utc(self.writing.clock()),
            until=until,
            limit=limit,
            tokens=tokens,
            settings=settings or self._briefing,
        )
        return await brief(self.writing, asked)

    briefing = blocking(abriefing)
