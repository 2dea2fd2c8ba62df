"""A talk with one user: briefing, recall, an answer that cites, observation, and finally which
memories helped. A `Chat` holds the memory and the log of one user only."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from textwrap import shorten
from typing import Any, NamedTuple

from chat.answering import Answerer, AnswerError, Quote, Sheet, cited
from chat.log import ChatLog, Source, Spoken
from secondhop import Memory, Message, Recall, RecalledMemory
from secondhop.briefing.briefing import HEADINGS, BriefingEntry
from secondhop.errors import SessionError, UnknownEntityError, UsageError
from secondhop.graph.result import ConflictingMemory
from secondhop.graph.session_result import SessionAnswer
from secondhop.observe.records import Said
from secondhop.running import RecallEvent

_UP = re.compile(r"(yes|exactly|right)?\W*((that|this) (one|helps|is it)|that's it|exactly)\W*")
_DOWN = re.compile(r"(no)?\W*(not (that|this)( one)?|that's not it|something else)\W*")
_UP_NUMBERED = re.compile(r"(yes|exactly|right)\W*")
_DOWN_NUMBERED = re.compile(r"(no|not|no, not)\W*")
_NUMBERED = re.compile(r"\[[\d, ]+\]")


class Event(NamedTuple):
    """Something that happens in a turn."""

    name: str
    """briefing, progress, memories, degraded, token, citation, invented, failed, observed, voted,
    resolved or done."""
    told: dict[str, Any]
    """Plain values."""


Events = AsyncGenerator[Event, None]
Tell = Callable[[Event], None]


class Chat:
    """What a backend keeps per active user. The turns of one user run one after the other."""

    def __init__(
        self, recall: Recall, log: ChatLog, answerer: Answerer, *, now: Callable[[], datetime]
    ) -> None:
        self.recall, self.log = recall, log
        self._answerer, self._now = answerer, now
        self._turn = asyncio.Lock()
        self._greeted = False

    # --- what a user can do; a caller that stops iterating cancels the turn ---

    def reply(self, said: str) -> Events:
        """One turn. The message is on disk before anything else happens."""

        async def turn(tell: Tell) -> None:
            if not said.strip():
                raise UsageError("an empty message asks nothing; say something")
            vote = taken_up(said)
            ballot: dict[str, str] = {}
            with suppress(SessionError):  # the session has expired; treat it as a normal message
                ballot = await self._ballot(cited(said) or self._cited_last()) if vote else {}
            self.log.add("vote" if ballot else "user", said, at=self._now())
            if ballot:
                await self._vote(ballot, vote, tell)
            if ballot and vote == "hot":
                tell(Event("token", {"text": "Noted."}))
                self.log.add("assistant", "Noted.", at=self._now())
            else:
                await self._answer(tell)

        return self._events(turn)

    def again(self) -> Events:
        """Answer the last question again, after votes, a failure or a restart."""
        return self._events(self._answer)

    def vote(self, numbers: Sequence[int], vote: str) -> Events:
        """Vote on memories that were shown for the open question, by their numbers."""

        async def turn(tell: Tell) -> None:
            ballot = await self._ballot(numbers)
            if not ballot:
                raise UsageError("no open question shows such a memory; ask, then vote by number")
            await self._vote(ballot, vote, tell)

        return self._events(turn)

    def resolve(self) -> Events:
        """End the question's session; the memories that were voted for count as helpful."""
        return self._events(self._resolve)

    def end(self) -> Events:
        """End the talk and store it as a memory; the next message begins another talk."""

        async def turn(tell: Tell) -> None:
            await self._resolve(tell)
            await self._observe(tell)
            if talk := self.log.talk():
                await self.recall.aadd([as_memory(talk)])
                self.log.set_mark("ended", str(talk[-1].number))
                self._greeted = False

        return self._events(turn)

    def unanswered(self) -> Spoken | None:
        """The last question, if it has no complete answer; otherwise None."""
        talk = self.log.talk()
        done = not talk or (talk[-1].role == "assistant" and talk[-1].whole)
        return None if done else self._question()

    # --- a turn, step by step ---

    async def _answer(self, tell: Tell) -> None:
        """Briefing, recall, answer, observation; each step is on disk before the next begins."""
        question = self._question()
        if question is None:
            raise UsageError("nothing was asked yet; say something first")
        briefing = await self._briefed()  # quick enough to read again each time
        if not self._greeted:
            tell(Event("briefing", {"entries": [as_told(entry) for entry in briefing]}))
            self._greeted = True
        answer = await self._recalled(question, tell)
        quotes = self._quotes(answer)
        tell(Event("memories", {"memories": [as_told(quote) for quote in quotes]}))
        tell_degraded(answer.degraded if answer else [], tell)
        sheet = Sheet(
            question=question.text,
            talk=[said for said in self.log.talk() if said.number < question.number],
            briefing=briefing,
            wishes=[wish.text for wish in answer.preferences] if answer else [],
            quotes=quotes,
        )
        await self._write(sheet, tell)
        await self._observe(tell)
        tell(Event("done", answer.spent.model_dump() if answer else {}))

    async def _recalled(self, question: Spoken, tell: Tell) -> SessionAnswer | None:
        """The answer of the question's session, opened or resumed; None if nothing is stored."""

        def progress(step: RecallEvent) -> None:
            tell(Event("progress", {"step": step.node, "note": step.note}))

        if session_id := self._session():
            with suppress(SessionError):  # it is over by now; open another
                answer = await self.recall.sessions.aget(session_id)
                tell(Event("progress", {"step": "resumed", "note": "the session was open"}))
                if any(answer.cast.values()) and answer.rounds_left:
                    answer = await self.recall.sessions.avote(session_id, {}, progress=progress)
                return answer
        await self._resolve(tell)
        asked = [one for one in self.log.talk() if one.role == "user"]
        earlier = [one.text for one in asked if one.number < question.number]
        try:
            answer = await self.recall.sessions.astart(
                question.text, earlier=earlier, at=self._now(), progress=progress
            )
        except UnknownEntityError:
            return None
        self.log.set_mark("session", f"{question.number} {answer.session_id}")
        return answer

    async def _write(self, sheet: Sheet, tell: Tell) -> None:
        """Stream the answer and store it, even if it breaks off."""
        pieces: list[str] = []
        failed = "it was interrupted"
        try:
            async with aclosing(self._answerer.write(sheet)) as written:
                async for piece in written:
                    pieces.append(piece)
                    tell(Event("token", {"text": piece}))
            failed = "" if pieces else "it said nothing"
        except AnswerError as error:
            failed = str(error)
        finally:  # also if it is cancelled
            self.log.add("assistant", "".join(pieces), at=self._now(), whole=not failed)
        self._tell_cited("".join(pieces), sheet, tell)
        if failed:
            tell(Event("failed", {"message": failed, "model": self._answerer.name}))

    def _tell_cited(self, text: str, sheet: Sheet, tell: Tell) -> None:
        """Report the memories that an answer cites, and the numbers that it made up."""
        seen = sheet.numbers()
        known = {source.number: source for source in self.log.sources() if source.number in seen}
        for number in cited(text):
            if source := known.get(number):
                told = {"number": number, "title": source.title, "date": source.date}
                tell(Event("citation", {**told, "id": source.memory_id}))
            else:
                tell(Event("invented", {"number": number}))

    async def _observe(self, tell: Tell) -> None:
        """Store the facts and wishes in the messages since the last observation."""
        behind = int(self.log.mark("observed") or 0)
        talk = [said for said in self.log.talk() if said.number > behind]
        if not talk:
            return
        said = [Said(role=role_of(one), content=one.text, at=one.at) for one in talk if one.whole]
        seen = await self.recall.memories.aobserve(said, at=self._now())
        self.log.set_mark("observed", str(talk[-1].number))
        tell_degraded(seen.degraded, tell)
        for one in (*seen.added, *seen.conflicts):
            old = [other.text for other in one.supersedes]
            against = [other.value for other in one.conflicts_with]
            told = {"id": one.memory_id, "text": one.text, "supersedes": old}
            tell(Event("observed", {**told, "conflicts_with": against}))

    async def _ballot(self, numbers: Sequence[int]) -> dict[str, str]:
        """{memory id: title} of the numbered memories in the open session; {} without a session."""
        session_id = self._session()
        if not session_id:
            return {}
        answer = await self.recall.sessions.aget(session_id)
        chosen = {one.memory_id for one in self.log.sources() if one.number in numbers}
        return {one.id: one.title for one in answer.memories if one.id in chosen}

    async def _vote(self, ballot: Mapping[str, str], vote: str, tell: Tell) -> None:
        """Note the votes on the open session; they count in the next round or when it resolves."""
        await self.recall.sessions.avote(self._session(), dict.fromkeys(ballot, vote), go_on=False)
        tell(Event("voted", {"vote": vote, "titles": list(ballot.values())}))

    async def _resolve(self, tell: Tell) -> None:
        """End the open session, if any; the memories that were voted for are accepted."""
        session_id = self._session(any_question=True)
        if not session_id:
            return
        with suppress(SessionError):  # it has expired
            resolution = await self.recall.sessions.aresolve(session_id)
            ids = resolution.session.accepted
            titles = [source.title for source in self.log.sources() if source.memory_id in ids]
            learned = resolution.learned.learned
            tell(Event("resolved", {"accepted": titles, "learned": learned}))
        self.log.set_mark("session", "")

    # --- where the talk stands ---

    def _question(self) -> Spoken | None:
        """The last question; votes are not questions."""
        asked = [said for said in self.log.talk() if said.role == "user"]
        return asked[-1] if asked else None

    def _session(self, *, any_question: bool = False) -> str:
        """Id of the open session of the last question (or of any question); "" if there is none."""
        number, _, session_id = self.log.mark("session").partition(" ")
        question = self._question()
        mine = question is not None and str(question.number) == number
        return session_id if mine or any_question else ""

    def _cited_last(self) -> list[int]:
        """The numbers that the last answer cites."""
        answers = [said.text for said in self.log.talk() if said.role == "assistant"]
        return cited(answers[-1]) if answers else []

    def _quotes(self, answer: SessionAnswer | None) -> list[Quote]:
        """The memories of an answer as numbered quotes."""
        return [
            Quote(
                source=self._source(memory),
                text=doubted("\n".join(one.text for one in memory.evidence), memory.conflicts_with),
                why=memory.why,
            )
            for memory in (answer.memories if answer else [])
        ]

    async def _briefed(self) -> list[Quote]:
        """The entries of the briefing as numbered quotes."""
        briefing = await self.recall.memories.abriefing(at=self._now())
        return [
            Quote(
                source=self._source(entry),
                text=doubted(entry.text, entry.conflicts_with),
                why=HEADINGS[entry.category],
            )
            for entry in briefing.entries
        ]

    def _source(self, shown: RecalledMemory | BriefingEntry) -> Source:
        return self.log.source(shown.id, title=shown.title, date=f"{shown.created_at:%Y-%m-%d}")

    async def _events(self, work: Callable[[Tell], Awaitable[None]]) -> Events:
        """Run the work in a task of its own, and yield its events."""
        told: asyncio.Queue[Event | None] = asyncio.Queue()

        async def turn() -> None:
            async with self._turn:
                await work(told.put_nowait)

        task = asyncio.create_task(turn())
        task.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (event := await told.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # raised above already, or the caller is gone


def taken_up(said: str) -> str:
    """The vote in a message that is only a vote, with or without numbers; otherwise "".

    >>> [taken_up(said) for said in ("Yes, that one!", "Yes, [2].", "Not [1]", "Not that I know.")]
    ['hot', 'hot', 'cold', '']
    """
    bare = _NUMBERED.sub("", said).strip().casefold()
    numbered = bool(cited(said))
    if _UP.fullmatch(bare) or (numbered and _UP_NUMBERED.fullmatch(bare)):
        return "hot"
    return "cold" if _DOWN.fullmatch(bare) or (numbered and _DOWN_NUMBERED.fullmatch(bare)) else ""


def role_of(said: Spoken) -> str:
    """The role for a model; a vote is a message of the user."""
    return "assistant" if said.role == "assistant" else "user"


def as_memory(talk: Sequence[Spoken]) -> Memory:
    """A finished talk as a conversation to store."""
    return Memory(
        memory_id=f"talk-{talk[0].number}",
        title=shorten(talk[0].text, 60, placeholder=" …"),
        source="conversation",
        created_at=talk[0].at,
        messages=tuple(Message(role_of(said), said.text) for said in talk if said.whole),
    )


def doubted(text: str, conflicts: Sequence[ConflictingMemory]) -> str:
    """A memory's text, followed by the values that contradict it and their dates."""
    others = [f"but also, since {one.created_at:%Y-%m-%d}: {one.value}" for one in conflicts]
    return "; ".join([text, *others])


def tell_degraded(messages: Sequence[str], tell: Tell) -> None:
    """Report what the recall had to do without."""
    for message in messages:
        tell(Event("degraded", {"message": message}))


def as_told(quote: Quote) -> dict[str, Any]:
    """A quote in plain values."""
    source = quote.source
    names = {"number": source.number, "id": source.memory_id}
    return {
        **names,
        "title": source.title,
        "date": source.date,
        "why": quote.why,
        "text": quote.text,
    }
