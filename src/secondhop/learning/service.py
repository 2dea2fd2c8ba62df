"""`recall.learning`: learns from resolved sessions; tells, forgets and exports what it knows."""

import logging
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from secondhop.errors import StoreError, UsageError
from secondhop.graph.session_result import ResolvedSession
from secondhop.learning.records import (
    ContextReport,
    LearnedCue,
    LearningReport,
    RoundCounts,
    Unlearned,
)
from secondhop.learning.report import context_report, round_counts
from secondhop.learning.rules import (
    Teaching,
    credit_of,
    learned_from,
    teaches,
    teaching_of,
    without_the_gone,
)
from secondhop.nodes.services import Services
from secondhop.sessions.learner import Learned
from secondhop.stores.counters import CounterStore, Use
from secondhop.stores.learning import LearningStore
from secondhop.stores.lessons import DOCUMENT, LearnedContext, LearningChange, LearningState
from secondhop.sync import BackgroundLoop, blocking

logger = logging.getLogger(__name__)


class Learning:
    """What was learned of one entity's memory, by resolved sessions alone.

    A `SessionLearner`, and a `Forgets`: memories that are forgotten are forgotten here first. Every
    method has an async form, whose name begins with "a".
    """

    def __init__(
        self,
        store: LearningStore,
        services: Services,
        *,
        counters: CounterStore | None = None,
        loop: BackgroundLoop | None = None,
    ) -> None:
        """`counters`: told what each session showed, and what was accepted."""
        self._store, self._services, self._counters = store, services, counters
        self._loop = loop or BackgroundLoop()

    async def alearn(self, session: ResolvedSession, *, dry_run: bool = False) -> Learned:
        """Take in a resolved session.

        What was accepted is counted. With a vote, or a memory that helped, the context of the
        question learns. Nothing is learned of memories that are no longer stored.

        Args:
            dry_run: only tell what would be learned.

        Raises:
            StoreError: it cannot be written; nothing was learned.
            ModelError: the question cannot be embedded.
        """
        if not (await self._store.read()).on:
            return Learned()
        services, session = self._services, await self._of_the_stored(session)
        if dry_run:
            changed = credit_of(session.last_votes(), session.accepted)
            return Learned(updated=len(changed), learned=teaches(session))
        await self._count(session)
        if not teaches(session):
            return Learned()
        (question,) = await services.embedder.embed_queries([session.question])
        teaching = teaching_of(session, question=question, embedder_id=services.embedder.model_id)
        decided: list[LearningChange] = []
        await self._store.change(partial(self._decide, teaching=teaching, decided=decided))
        return Learned(updated=len(teaching.credit) if decided else 0, learned=bool(decided))

    learn = blocking(alearn)

    async def areport(self) -> LearningReport:
        """Everything, by context, the most sessions first."""
        known = await self._store.read()
        contexts = await self._reports(known)
        return LearningReport(
            on=known.on,
            embedder=self._services.embedder.model_id,
            contexts=contexts,
            other_models=len(known.contexts) - len(contexts),
            rounds=round_counts(contexts),
        )

    report = blocking(areport)

    async def acues(self) -> list[LearnedCue]:
        """Promoted cues of all contexts, most wins first: when one memory comes up, the other is
        likely to be wanted. [] when learning is off."""
        known = await self._store.read()
        if not known.on:
            return []
        found = [cue for one in await self._reports(known) for cue in one.cues]
        promoted = [cue for cue in found if cue.status == "promoted"]
        return sorted(promoted, key=lambda cue: (-cue.wins, cue.leads_to))

    cues = blocking(acues)

    async def acues_after(self, memory_ids: Collection[str]) -> list[LearnedCue]:
        """Promoted cues of these memories, for a briefing that looks ahead.

        Lessons that cannot be read do not stop a briefing: it goes on without.
        """
        if not self._services.settings.learning.weight:
            return []
        try:
            return [cue for cue in await self.acues() if cue.spark in memory_ids]
        except StoreError as error:
            logger.warning("a briefing uses nothing learned: %s", error)
            return []

    cues_after = blocking(acues_after)

    async def arounds(self) -> RoundCounts:
        """How many answers sessions needed, and in which contexts too many."""
        return (await self.areport()).rounds

    rounds = blocking(arounds)

    async def aswitch(self, *, on: bool) -> None:
        """Off: nothing is learned, counted or used until it is on again; what is known stays."""
        await self._store.switch(on=on)

    switch = blocking(aswitch)

    async def aforget(self, memory_ids: Sequence[str]) -> None:
        """Nothing of these memories is left; unknown ids are no error."""
        await self._store.forget(memory_ids)

    forget = blocking(aforget)

    async def aforget_context(self, context_id: str) -> None:
        """Forget one context.

        Raises:
            UsageError: there is none of that id.
        """
        context_called(context_id, (await self._store.read()).contexts)
        await self._store.change(lambda _: LearningChange(dropped=[context_id]))

    forget_context = blocking(aforget_context)

    async def aforget_all(self) -> None:
        """Forget everything that was learned; a switch that is off stays off."""
        await self._store.clear()

    forget_all = blocking(aforget_all)

    async def awould_forget(
        self, memory_ids: Sequence[str] = (), *, context_id: str | None = None
    ) -> Unlearned:
        """What there is to forget: of these memories, of one context, or, without either, all.

        Raises:
            UsageError: there is no context of that id.
        """
        contexts = (await self._store.read()).contexts
        if context_id is not None:
            contexts = [context_called(context_id, contexts)]
        told = [one.lessons.memory_ids() for one in contexts]
        if memory_ids:
            told = [known & {*memory_ids} for known in told]
        told = [known for known in told if known or not memory_ids]
        return Unlearned(contexts=len(told), memories=len(set().union(*told)), dry_run=True)

    would_forget = blocking(awould_forget)

    async def aexported(self) -> dict[str, Any]:
        """Everything as plain values, vectors left out: for people and their rights.

        It holds no word of any question. There is no import: `copy` copies what was learned.
        """
        known = await self._store.read()
        return {
            "on": known.on,
            "contexts": [
                {
                    "context_id": one.context_id,
                    "embedder": one.embedder_id,
                    **DOCUMENT.dump_python(one.lessons, mode="json"),
                }
                for one in known.contexts
            ],
        }

    exported = blocking(aexported)

    async def aclose(self) -> None:
        """Close its file."""
        await self._store.aclose()

    # --- inside ---

    def _decide(
        self, known: LearningState, *, teaching: Teaching, decided: list[LearningChange]
    ) -> LearningChange | None:
        if not known.on:  # switched off since we looked
            return None
        decided[:] = [
            learned_from(
                known,
                teaching,
                alike=self._services.scale.same_context,
                half_life_days=self._services.settings.learning.half_life_days,
            )
        ]
        return decided[0]

    async def _of_the_stored(self, session: ResolvedSession) -> ResolvedSession:
        """The session as if it had never met what is no longer stored."""
        met = list(dict.fromkeys([*session.shown, *session.retrieved]))
        return without_the_gone(session, await self._services.reader.cards(met))

    async def _count(self, session: ResolvedSession) -> None:
        if self._counters is None or not (session.shown or session.retrieved):
            return
        use = Use(
            trace_id="",
            at=session.asked_at,
            retrieved=[*session.shown, *session.retrieved],
            shown=session.shown,
            accepted=session.accepted,
        )
        await self._counters.count(use, noted=False)

    async def _reports(self, known: LearningState) -> list[ContextReport]:
        """Of the contexts of the embedding model in use."""
        services, settings = self._services, self._services.settings.learning
        now = services.clock()
        own = [one for one in known.contexts if one.embedder_id == services.embedder.model_id]
        ids = sorted({memory_id for one in own for memory_id in one.lessons.memory_ids()})
        cards = await services.reader.cards(ids)
        titles = {memory_id: card.title for memory_id, card in cards.items()}
        reports = [context_report(one, titles, now=now, settings=settings) for one in own]
        return sorted(reports, key=lambda one: (-one.sessions, one.context_id))


def context_called(context_id: str, contexts: Iterable[LearnedContext]) -> LearnedContext:
    """The context of this id.

    Raises:
        UsageError: there is none.
    """
    for one in contexts:
        if one.context_id == context_id:
            return one
    raise UsageError(
        f"no context {context_id!r} was learned; `recall.learning.report()` lists them"
    )
