"""`recall.learning`: turns votes of resolved sessions into cues; reports and forgets them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import numpy as np

from secondhop.annotate.generic import GenericCues
from secondhop.graph.session_result import ResolvedSession
from secondhop.learning.credit import bounded_credit, credit_of, told_by_people
from secondhop.learning.records import LearnedMemory, LearnedQuestion, LearningReport
from secondhop.models.embedding_cache import embed_requests
from secondhop.nodes.selection.learned import REFUSED_FROM
from secondhop.nodes.services import Services
from secondhop.prompts.quoting import clean
from secondhop.sessions.learner import Learned
from secondhop.stores.counters import CounterStore, Use
from secondhop.stores.cues import LONGEST_QUESTION, Cue, votes_left
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Vector
from secondhop.sync import BackgroundLoop, blocking

SAME = 0.5
"""From this similarity on, 0..1, votes on a question count for the stored question instead."""


class Learning:
    """Cues of origin `session`: the questions with which memories helped or did not help.

    Every method has an async form, whose name begins with "a".
    """

    def __init__(
        self,
        store: EntityStore,
        services: Services,
        *,
        counters: CounterStore,
        loop: BackgroundLoop,
    ) -> None:
        """`counters` count what each session showed, and what was accepted."""
        self._store, self._cues = store, store.cues
        self._services, self._counters = services, counters
        self._generic = GenericCues(services.playbooks, services.embedder)
        self._loop = loop

    async def alearn(self, session: ResolvedSession, *, dry_run: bool = False) -> Learned:
        """Learn from a resolved session.

        Accepted memories are counted. A memory that helped, or got a vote of a person or an agent,
        gets the question as a cue; a cue that says nearly the same gets the votes instead.

        Args:
            dry_run: only report what would be learned.

        Raises:
            StoreError: it cannot be written; nothing was learned.
            ModelError: the question cannot be embedded.
        """
        if not (self._services.settings.session.learn and await self._cues.learns()):
            return Learned()
        stored = await self._services.reader.cards([*session.shown, *session.retrieved])
        if not dry_run:
            await self._count(session, stored)
        said = credit_of(session.last_votes(), session.accepted)
        credit = {one: value for one, value in said.items() if one in stored}
        if not credit:
            return Learned()
        votes, vectors = await self._votes(session, credit)
        if votes and not dry_run:
            await self._cues.prove(votes, np.stack(vectors))
        return Learned(updated=len(votes), learned=bool(votes))

    learn = blocking(alearn)

    async def areport(self) -> LearningReport:
        """Everything that was learned, by question, the newest first."""
        found, now = await self._cues.proved(), self._services.clock()
        cards = await self._services.reader.cards([cue.memory_id for cue in found])
        by_question: dict[str, list[LearnedMemory]] = {}
        for cue in found:
            said = votes_now(cue, now)
            memory = LearnedMemory(
                memory_id=cue.memory_id,
                title=cards[cue.memory_id].title if cue.memory_id in cards else "",
                cue_id=cue.cue_id,
                votes=round(said, 2),
                refused=said <= REFUSED_FROM,
            )
            by_question.setdefault(cue.text, []).append(memory)
        newest = {cue.text: cue.written_at for cue in reversed(found)}
        return LearningReport(
            on=await self._cues.learns(),
            questions=[
                LearnedQuestion(
                    question=question,
                    learned_at=newest[question] or now,
                    memories=sorted(own, key=lambda one: (-one.votes, one.memory_id)),
                )
                for question, own in by_question.items()
            ],
        )

    report = blocking(areport)

    async def aswitch(self, *, on: bool) -> None:
        """Switch learning on or off. While it is off, nothing is learned, counted or used; what is
        known stays."""
        await self._store.let_learn(on=on)

    switch = blocking(aswitch)

    async def aforget(self, memory_ids: Collection[str]) -> None:
        """Forget what was learned of these memories; unknown ids are no error."""
        known = await self._cues.proved()
        await self._remove([one for one in known if one.memory_id in memory_ids])

    forget = blocking(aforget)

    async def aforget_question(self, question: str) -> None:
        """Forget what was learned with one question, written as in the report."""
        await self._remove([one for one in await self._cues.proved() if one.text == question])

    forget_question = blocking(aforget_question)

    async def aforget_all(self) -> None:
        """Forget everything that was learned; learning stays off if it is off."""
        await self._remove(await self._cues.proved())

    forget_all = blocking(aforget_all)

    # --- inside ---

    async def _remove(self, cues: Sequence[Cue]) -> None:
        if cues:
            await self._cues.remove([cue.cue_id for cue in cues])

    async def _votes(
        self, session: ResolvedSession, credit: Mapping[str, float]
    ) -> tuple[list[Cue], list[Vector]]:
        """(the votes that the session adds, as cues; the vector of each).

        A generic question, like "help me with anything", is kept only for memories that did not
        help.
        """
        question = question_line(session.question)
        if not question:
            return [], []
        known = {
            memory_id: [cue for cue in cues if cue.origin == "session"]
            for memory_id, cues in (await self._cues.of_memories([*credit])).items()
        }
        texts = list(dict.fromkeys([question, *(c.text for own in known.values() for c in own)]))
        rows = await embed_requests(self._services.embedder, texts)
        vectors = dict(zip(texts, rows, strict=True))
        (generic,) = await self._generic.among(rows[:1])
        people = told_by_people(session)
        votes: list[Cue] = []
        for memory_id, value in credit.items():
            near = self._nearest(question, known.get(memory_id, ()), vectors)
            stands = votes_now(near, session.asked_at) if near else 0.0
            added = bounded_credit(value, stands, by_person=memory_id in people)
            if added < 0 or (added and not generic):
                votes.append(
                    Cue(
                        memory_id=memory_id,
                        text=near.text if near else question,
                        origin="session",
                        written_at=session.asked_at,
                        proved=added,
                    )
                )
        return votes, [vectors[cue.text] for cue in votes]

    def _nearest(
        self, question: str, cues: Sequence[Cue], vectors: Mapping[str, Vector]
    ) -> Cue | None:
        """The cue of nearly the same question; None if there is none."""
        if not cues:
            return None
        cosines = np.array([vectors[cue.text] @ vectors[question] for cue in cues])
        near = self._services.scale.same_context(cosines)
        best = int(np.argmax(cosines))
        return cues[best] if near[best] >= SAME else None

    async def _count(self, session: ResolvedSession, stored: Collection[str]) -> None:
        if not stored:
            return
        use = Use(
            trace_id="",
            at=session.asked_at,
            retrieved=[one for one in (*session.shown, *session.retrieved) if one in stored],
            shown=[one for one in session.shown if one in stored],
            accepted=[one for one in session.accepted if one in stored],
        )
        await self._counters.count(use, noted=False)


def question_line(question: str) -> str:
    """A question as one line, cut to what a cue can hold."""
    return " ".join(clean(question).split())[:LONGEST_QUESTION].strip()


def votes_now(cue: Cue, now: datetime) -> float:
    """What the votes of a session's cue count at a moment."""
    return votes_left(cue.proved, cue.written_at or now, now)
