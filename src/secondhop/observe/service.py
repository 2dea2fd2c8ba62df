"""Turns a conversation into memories: reads it, compares it with the catalog, writes the news."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from secondhop.errors import UsageError
from secondhop.given_values import check_id
from secondhop.graph.result import Spent
from secondhop.memories.rules import NewMemoryDecision
from secondhop.memories.writing import MemoryWriting
from secondhop.models.choose_llm import chosen_llm
from secondhop.models.embedder import HoldsConnections
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import PriceTable, cost_of, price_of
from secondhop.moments import in_utc
from secondhop.nodes.budget import counts_of
from secondhop.nodes.config import RecallLimits
from secondhop.observe.conversation import conversation, going_on, spoken_in
from secondhop.observe.draft import Draft, DraftView
from secondhop.observe.messages import Heard, SeenWords, came_of, heard, maybe_said_anew, seen_words
from secondhop.observe.plain import OTHER_LANGUAGE, PLAIN, in_another_language
from secondhop.observe.port import SPEAKER, Reading, Turn
from secondhop.observe.reader import Heap, read_all
from secondhop.observe.records import DroppedReading, Observation, Observed, Sayable
from secondhop.observe.rules import Judgement, Statement, ending, judged, repeating
from secondhop.observe.statements import observation, seen_before, statement_of
from secondhop.prompts.templates import PromptSource, load_prompts
from secondhop.ranking.words import words
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import KeepingChange
from secondhop.stores.records import Memory

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from secondhop.observe.llm import LLMObserver

KNOWN = 40
"""The most known facts and preferences that a model is shown."""

FORGOTTEN = "it was forgotten, and these words of this message are not read again"

NO_USER = "observe: only the user's statements are stored, and no message has the role 'user'"

OTHERS = frozenset({"assistant", "system", "developer", "tool", "function"})
"""Roles of a chat API that are not the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationReading:
    """Writes memories from conversations, for one entity."""

    writing: MemoryWriting
    llm: StructuredLLM | None
    """Reads the messages, unless a call names another model; None: plain forms are read."""
    prompts: PromptSource | None
    prices: PriceTable
    limits: RecallLimits = field(default_factory=RecallLimits)
    """Bounds on model calls, tokens and time for one call of `observe`."""

    async def observe(
        self,
        messages: Sequence[Sayable],
        *,
        at: datetime | None,
        keep_as: str,
        title: str,
        llm: "str | StructuredLLM | BaseChatModel | None",
        dry_run: bool,
    ) -> Observed:
        """See `MemoryService.aobserve`."""
        now, started = self.writing.clock(), time.perf_counter()
        said = heard(messages, now=in_utc(at) if at else now)
        await self._check_place(keep_as)
        turns = [one.turn for one in said]
        async with self._observer(llm) as observer:
            known: list[Memory] = []
            if observer is not None:
                known = await self.writing.store.look(lambda v: known_things(v, turns, now=now))
            heap = await read_all(turns, known, observer=observer, limits=self.limits)
            if observer is None and in_another_language(turns):
                heap.degraded[OTHER_LANGUAGE] = None
            if unknown := nobody_asked(turns):
                heap.degraded[f"{NO_USER}; the roles here: {', '.join(unknown)}"] = None
        forgotten, outcome = list[DroppedReading](), list[tuple[str, Observation]]()
        if heap.found:  # most messages state nothing, and all notes are read for this
            found, forgotten = await self._without_forgotten(heap.found, said)
            outcome = await self._written(found, said, dry_run=dry_run)
        kept = await self._conversation(said, keep_as, title=title, dry_run=dry_run)
        return Observed(
            added=[one for done, one in outcome if done == "added"],
            conflicts=[one for done, one in outcome if done == "conflict"],
            duplicates=[one for done, one in outcome if done == "duplicate"],
            ended=[one for done, one in outcome if done == "ended"],
            dropped=[*heap.dropped, *forgotten],
            conversation_id=keep_as if kept else "",
            conversation_done=kept,
            reader=", ".join(heap.readers) or (observer.observer_id if observer else PLAIN),
            degraded=list(heap.degraded),
            spent=self._spent(heap, observer, ms=(time.perf_counter() - started) * 1000),
            dry_run=dry_run,
        )

    @asynccontextmanager
    async def _observer(
        self, llm: "str | StructuredLLM | BaseChatModel | None"
    ) -> AsyncGenerator["LLMObserver | None", None]:
        """The reader with a model, or None; a model given by name is closed at the end."""
        model = self.llm
        if llm is not None:
            model = chosen_llm(llm, deadline_s=self.limits.deadline_s)
        if model is None:
            yield None
            return
        from secondhop.observe.llm import LLMObserver

        try:
            yield LLMObserver(model, load_prompts(self.prompts))
        finally:
            if isinstance(llm, str) and isinstance(model, HoldsConnections):
                await model.aclose()

    async def _without_forgotten(
        self, readings: Sequence[Reading], said: Sequence[Heard]
    ) -> tuple[list[Reading], list[DroppedReading]]:
        """(readings that may be written; readings of words whose memory was forgotten)."""
        origins = await self.writing.store.look(lambda view: view.forgotten_origins())
        gone = seen_words([("forgotten", origin) for origin in origins])
        found: list[Reading] = []
        forgotten: list[DroppedReading] = []
        for reading in readings:
            if came_of(reading.span, gone.get(said[reading.span.message].digest, [])):
                forgotten.append(DroppedReading(text=reading.value or reading.text, why=FORGOTTEN))
            else:
                found.append(reading)
        return found, forgotten

    async def _written(
        self, readings: Sequence[Reading], said: Sequence[Heard], *, dry_run: bool
    ) -> list[tuple[str, Observation]]:
        """Write the readings, or draft them; (what was done, observation) in the order given."""
        store = self.writing.store
        seen = seen_words(await store.look(lambda view: view.remembered_because()))
        anew = maybe_said_anew(said, seen)
        draft, outcome = Draft(), list[tuple[str, Observation]]()
        held = holding(readings, said)
        for place, group in groupby(held, key=lambda reading: reading.span.message):
            one, now_seen = said[place], list[SeenWords]()
            now = self.writing.clock()
            first = [statement_of(reading, one, at=now) for reading in group]
            earlier = seen.get(one.digest, [])
            before = partial(seen_before, first, earlier, draft, anew=place in anew)
            for statement in await store.look(before):
                judgement = await self._entered(statement, draft, dry_run=dry_run)
                told = observation(statement, judgement, one)
                outcome.append((judgement.done, told))
                span, ended = statement.reading.span, statement.reading.ended
                now_seen.append(SeenWords(told.memory_id, span.start, span.end, ended=ended))
            seen.setdefault(one.digest, []).extend(now_seen)  # one call may repeat a message
        return outcome

    async def _entered(self, statement: Statement, draft: Draft, *, dry_run: bool) -> Judgement:
        """Write or draft one statement."""
        if statement.reading.ended:
            return await self._ended(statement, draft, dry_run=dry_run)
        store = self.writing.store
        judgements: list[Judgement] = []

        def deciding(view: KeepingView) -> NewMemoryDecision:
            under = DraftView(view, draft) if dry_run else view
            judgements.append(judged(statement, under))
            return judgements[-1].decision

        await self.writing.enter(statement.memory, deciding, dry_run=dry_run)
        judgement = judgements[-1]
        if judgement.done != "duplicate":
            draft.add(statement.memory, judgement.decision.changes)
        elif not statement.seen_as and not dry_run:
            await store.change(partial(repeating, statement, judgement.decision.same_as))
        return judgement

    async def _ended(self, statement: Statement, draft: Draft, *, dry_run: bool) -> Judgement:
        """End the fact that a statement negates, or draft that."""
        store = self.writing.store
        judgements: list[Judgement] = []

        def deciding(view: KeepingView) -> Sequence[KeepingChange]:
            judgements.append(ending(statement, DraftView(view, draft) if dry_run else view))
            return judgements[-1].decision.changes

        if await store.look(deciding) and not dry_run:  # a write would make a missing store
            await store.change(deciding)
        draft.change(judgements[-1].decision.changes)
        return judgements[-1]

    async def _check_place(self, keep_as: str) -> None:
        """Raises UsageError if the id is blank, or belongs to a fact or a preference."""
        if keep_as:
            check_id(keep_as, name="the id to keep the conversation as")
        known = await self.writing.store.memory(keep_as) if keep_as else None
        if known is not None and known.kind != "continuity":
            raise UsageError(
                f"memory {keep_as!r} is not a conversation; keep this one under another id"
            )

    async def _conversation(
        self,
        said: Sequence[Heard],
        keep_as: str,
        *,
        title: str,
        dry_run: bool,
    ) -> Literal["", "remembered", "unchanged"]:
        """Keep the conversation itself, if asked to; says what was done."""
        spoken = spoken_in([one.turn for one in said])
        if not keep_as or not spoken:
            return ""
        given = conversation(keep_as, spoken, title=title)
        while True:
            known = await self.writing.store.look(lambda view: view.memory(keep_as))
            memory = going_on(known, given, title=title) if known else given
            if memory == known:
                return "unchanged"
            if dry_run or await self.writing.put_over(known, memory):
                return "remembered"

    def _spent(self, heap: Heap, observer: "LLMObserver | None", *, ms: float) -> Spent:
        """What reading the conversation cost."""
        price = price_of(observer.model_id, self.prices) if observer else None
        cost = cost_of(heap.usage, price)
        counts = counts_of(replace(heap.usage, lost_tokens=0))
        return Spent.model_validate({**counts, "cost_usd": cost, "ms": round(ms, 2)})


def holding(readings: Sequence[Reading], said: Sequence[Heard]) -> list[Reading]:
    """The readings without negations of what is stated again after them, without a later date."""

    def words_of(one: Reading) -> list[str]:
        parts = (one.subject, one.attribute, one.value, one.scope, one.text)
        return [folded(part) for part in parts]

    def restates(new: Reading, old: Reading) -> bool:
        at, before = (said[one.span.message].turn.at for one in (new, old))
        return not new.ended and at <= before and words_of(new) == words_of(old)

    return [
        one
        for place, one in enumerate(readings)
        if not (one.ended and any(restates(new, one) for new in readings[place:]))
    ]


def nobody_asked(turns: Sequence[Turn]) -> list[str]:
    """The unusual roles of messages none of which is the user's; [] if one is."""
    roles = {turn.role for turn in turns}
    return [] if SPEAKER in roles else sorted(map(repr, roles - OTHERS))


def known_things(view: KeepingView, turns: Sequence[Turn], *, now: datetime) -> list[Memory]:
    """Up to KNOWN current facts and preferences; those that share most words with `turns` first."""
    said = {word for turn in turns for word in words(turn.content)}

    def nearness(one: Memory) -> tuple[int, datetime]:
        own = words(f"{one.subject} {one.attribute} {one.scope} {one.value or one.text}")
        return len(said.intersection(own)), one.created_at

    stored = [*view.of_kind("factual"), *view.of_kind("preferential")]
    current = [one for one in stored if view.keeping(one.memory_id).end(now=now) is None]
    return sorted(current, key=nearness, reverse=True)[:KNOWN]
