"""Sessions by id: any process that shares the store may serve any step."""

import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar, Unpack

from secondhop.errors import (
    RoundMovedOnError,
    SecondhopError,
    SessionAbandonedError,
    SessionExpiredError,
    SessionOverError,
    SessionResolvedError,
    UnknownSessionError,
    UsageError,
)
from secondhop.given_values import check_text, utc_given
from secondhop.graph.session_result import ResolvedSession, SessionAnswer
from secondhop.nodes.budget import in_time
from secondhop.nodes.session.session_state import SessionInput, SessionState
from secondhop.nodes.session.voting import check_shown, expect_ids, expect_mapping, shown_ever
from secondhop.running import read_in_time, written_in_time
from secondhop.sessions.ballots import with_votes
from secondhop.sessions.document import names_one, pack, unpack
from secondhop.sessions.learner import Learned, Resolution
from secondhop.sessions.rounds import Progress, SessionRounds
from secondhop.sessions.session import RecallSession, SessionOptions
from secondhop.stores.entity_names import entity_digest
from secondhop.stores.sessions import SessionStatus, SessionStore, StoredSession
from secondhop.stores.where import Where
from secondhop.sync import BackgroundLoop, blocking

T = TypeVar("T")

logger = logging.getLogger(__name__)

TRIES = 5
"""How often a write is tried while others write to the same session."""

_OVER: Mapping[str, type[SessionOverError]] = {
    "expired": SessionExpiredError,
    "resolved": SessionResolvedError,
    "abandoned": SessionAbandonedError,
}


class Sessions:
    """Starts, votes on, resolves and abandons the sessions of one entity.

    Sessions have ids: one process may start a session and another vote on it and resolve it, if
    both use the same session store. Every method has an async form, whose name begins with "a".

    Each step reads the session, computes the next state, and writes it unless another worker wrote
    in the meantime. If a worker is killed in between, nothing has changed and its vote was not
    counted.
    """

    def __init__(
        self,
        rounds: SessionRounds,
        store: SessionStore,
        *,
        entity: str,
        ready: Callable[[], Awaitable[None]],
        learn: Callable[..., Awaitable[Learned]],
        loop: BackgroundLoop,
    ) -> None:
        """Nothing is read or written yet.

        Args:
            ready: awaited before each round. It prepares the models; its error ends the step.
            learn: `Learning.alearn`. Called at most once for each session that is resolved, by the
                worker that resolved it.
        """
        self._rounds, self._store, self._ready = rounds, store, ready
        self._owner, self._loop = entity_digest(entity), loop
        self._learn_from = learn

    def open(self, question: str, **options: Unpack[SessionOptions]) -> RecallSession:
        """A recall that is voted on: `async with recall.sessions.open(question) as s: …`.

        Args:
            question: as the person asked it.
            options: see `SessionOptions`. They are checked when the block is entered.
        """
        return RecallSession(self, question, **options)

    async def astart(self, question: str, **options: Unpack[SessionOptions]) -> SessionAnswer:
        """Open a session for votes by its id; returns the first answer. Arguments as for `open`.

        Raises:
            UsageError: the question is empty, or an option is not valid.
            UnknownEntityError: nothing is stored for the entity.
            StoreUnavailableError: the session could not be written in time.
        """
        if unknown := options.keys() - SessionOptions.__annotations__.keys():
            known = ", ".join(SessionOptions.__annotations__)
            raise UsageError(f"a session has no option {min(unknown)!r}; its options: {known}")
        at, where = utc_given(options.get("at"), name="at"), options.get("where")
        asked: SessionInput = {
            "question": question,
            "session_id": uuid.uuid4().hex,
            "k": options.get("k"),
            "max_rounds": options.get("max_rounds"),
            "ttl_s": options.get("ttl_s"),
            "asked_at": at.isoformat() if at else None,
            "as_of": options.get("as_of"),
            "include_stale": options.get("include_stale", False),
            "where": where.values() if isinstance(where, Where) else where,
            "effort": options.get("effort"),
            "earlier": options.get("earlier", ()),
        }
        await self._ready()
        state = await self._rounds.first(asked, progress=options.get("progress"))
        new = StoredSession(session_id=state["session_id"], owner=self._owner, version=0)
        await self._write(new, state)
        return await self._rounds.answer(state, expires_at=seconds_from_now(state["ttl_s"]))

    start = blocking(astart)

    async def aget(self, session_id: str) -> SessionAnswer:
        """The current answer, with the votes noted on it. Writes nothing.

        Raises:
            SessionOverError, UnknownSessionError, StoreUnavailableError: as for `vote`.
        """
        return await self._standing(*await self._read(session_id))

    get = blocking(aget)

    async def avote(
        self,
        session_id: str,
        votes: Mapping[str, str],
        *,
        by: str = "person",
        round_number: int | None = None,
        go_on: bool = True,
        request_id: str | None = None,
        progress: Progress | None = None,
    ) -> SessionAnswer:
        """Vote on the current answer; returns the next one.

        All votes count, or none. If two vote at the same time, one wins the round.

        Args:
            votes: {memory id: "hot", "warm", "cold", "wrong" or "spark"}; "" takes back a vote
                that was cast with go_on=False.
            by: "person" or "agent".
            round_number: round of the answer that was judged; default the current one.
            go_on: False: only note the votes, and return the current answer. They may be changed
                until a vote goes on.
            request_id: a vote repeated with the same id, because its reply was lost, counts once
                and returns the current answer, even if others have voted since. (A vote that is
                only noted counts once anyway.)

        Raises:
            RoundMovedOnError: the round was over when the votes came; none was counted.
            NoRoundsLeftError: this is the last answer; votes with go_on=False still count.
            VoteRefusedError: the answer does not show the memory.
            UsageError: an unknown vote or voter, or no votes to go on with.
            SessionOverError: it expired, was resolved or abandoned.
            UnknownSessionError: this entity has no such session.
            StoreUnavailableError: the session could not be read in time, or it is not known
                whether it was written; the same call with the same `request_id` counts once.
        """
        expect_mapping(votes, name="votes", like='{id: "hot"}')
        request_id = request_id or uuid.uuid4().hex
        for _ in range(TRIES):
            stored, state = await self._read(session_id)
            if request_id in state["requests"]:
                return await self._standing(stored, state)
            round_number = state["round"] if round_number is None else round_number
            expect_round(round_number, state)
            after = with_votes(state, votes, by=by, go_on=go_on)
            if go_on:
                began = time.time()
                await self._ready()  # loading a model is not part of the round
                asked: SessionState = {
                    **after,
                    "requests": [*state["requests"], request_id],
                    "deadline_at": after["deadline_at"] + time.time() - began,
                }
                after = await self._rounds.next(asked, progress=progress)
            if await self._write(stored, after):
                return await self._rounds.answer(after, expires_at=seconds_from_now(after["ttl_s"]))
        raise await self._overtaken(session_id, voted=round_number)

    vote = blocking(avote)

    async def aresolve(
        self,
        session_id: str,
        *,
        accepted: Sequence[str] | None = None,
        note: str = "",
        dry_run: bool = False,
    ) -> Resolution:
        """End a session and say what helped; votes noted on its last answer count.

        If two resolve at the same time, one does. A session is learned from at most once.

        Args:
            accepted: memories that helped, from any answer; default those last voted hot or warm.
            note: for the learner, in the caller's words.
            dry_run: only report the outcome and what would be learned; the session stays open.

        Raises:
            RoundMovedOnError: another vote came at the same moment; nothing was resolved.
            VoteRefusedError: no answer has shown the memory.
            UsageError: the note is not a text, or the ids are not a list of texts.
            SessionOverError, UnknownSessionError, StoreUnavailableError: as for `vote`.
        """
        check_text(note, name="the note")
        chosen = None if accepted is None else expect_ids(accepted)
        round_number: int | None = None
        for _ in range(TRIES):
            stored, state = await self._read(session_id)
            round_number = state["round"] if round_number is None else round_number
            expect_round(round_number, state)
            check_shown(chosen or (), shown_ever(state), state)
            session = await self._rounds.settled(state, accepted=chosen, note=note)
            if dry_run or await self._save(ended(stored, "resolved")):
                limit_s = self._rounds.reading_s(state)
                learned = await self._learn(session, dry_run=dry_run, limit_s=limit_s)
                return Resolution(session=session, learned=learned, dry_run=dry_run)
        raise await self._overtaken(session_id, voted=round_number)

    resolve = blocking(aresolve)

    async def aabandon(self, session_id: str) -> None:
        """Abandon a session: nothing of it is kept or learned.

        A session that is already over stays as it ended.

        Raises:
            UnknownSessionError: this entity has no such session.
            StoreUnavailableError: the session could not be read or written in time.
        """
        while True:
            try:
                stored = await self._loaded(self._known(session_id), what=f"session {session_id!r}")
            except SessionOverError:
                return
            if await self._save(ended(stored, "abandoned")):
                return

    abandon = blocking(aabandon)

    async def alist_open(self) -> list[str]:
        """Ids of the entity's open sessions.

        Raises:
            StoreUnavailableError: they could not be read in time.
        """
        return await self._loaded(self._open_ids(), what="the open sessions")

    list_open = blocking(alist_open)

    async def aforget(self, memory_ids: Sequence[str]) -> None:
        """Abandon the open sessions that contain one of these memories, so that nothing of it is
        left there.

        Raises:
            StoreError: the session store cannot be written; forget again.
        """
        await abandon_those_with(memory_ids, self._store, owner=self._owner)

    forget = blocking(aforget)

    async def aclose(self) -> None:
        """Close the store's connections; sessions stay open for others."""
        await self._store.aclose()

    # --- inside ---

    async def _open_ids(self) -> list[str]:
        ids = await self._store.open_ids(owner=self._owner)
        known = [await self._store.load(one, owner=self._owner) for one in ids]
        return [one.session_id for one in known if one is not None and one.status == "open"]

    async def _loaded(self, reading: Awaitable[T], *, what: str) -> T:
        """What is read, in the time of a recall. Raises as `read_in_time`."""
        limit_s = self._rounds.services.settings.limits.deadline_s
        return await read_in_time(reading, what=what, deadline_s=limit_s)

    async def _save(self, session: StoredSession) -> bool:
        """As `SessionStore.save`, in the time of a recall. Raises as `written_in_time`."""
        limit_s = self._rounds.services.settings.limits.deadline_s
        what = f"session {session.session_id!r}"
        return await written_in_time(self._store.save(session), what=what, deadline_s=limit_s)

    async def _known(self, session_id: str) -> StoredSession:
        """An open session of this entity.

        Raises:
            SessionError: there is none of that id.
        """
        stored = await self._store.load(session_id, owner=self._owner)
        if stored is None:
            raise UnknownSessionError(session_id)
        if stored.status != "open":
            raise _OVER[stored.status](session_id)
        return stored

    async def _overtaken(self, session_id: str, *, voted: int | None) -> RoundMovedOnError:
        """The error for votes that came too late at every try.

        Raises:
            SessionError: the session was ended meanwhile.
        """
        _, state = await self._read(session_id)
        current = state["round"]
        return RoundMovedOnError(session_id, voted=voted or current, current=current)

    async def _read(self, session_id: str) -> tuple[StoredSession, SessionState]:
        """An open session of this entity, and its state with the deadline of a step that begins
        now.

        Raises:
            SessionError: there is none of that id.
            StoreUnavailableError: it could not be read in time.
        """
        services, deadline_at = self._rounds.services, self._rounds.deadline()

        async def read() -> tuple[StoredSession, SessionState]:
            stored = await self._known(session_id)
            state = await unpack(stored.document, services=services)
            return stored, {**state, "deadline_at": deadline_at}

        return await self._loaded(read(), what=f"session {session_id!r}")

    async def _standing(self, stored: StoredSession, state: SessionState) -> SessionAnswer:
        return await self._rounds.answer(state, expires_at=seconds_from_now(stored.expires_in_s))

    async def _write(self, stored: StoredSession, state: SessionState) -> bool:
        """Write the state over what was read; False if another worker has written meanwhile."""
        after = replace(
            stored,
            version=stored.version + 1,
            document=pack(state),
            expires_in_s=state["ttl_s"],
        )
        return await self._save(after)

    async def _learn(self, session: ResolvedSession, *, dry_run: bool, limit_s: float) -> Learned:
        """Learn from a session, which stays resolved even if that fails or takes too long."""

        async def cut_off() -> Learned:
            logger.warning(
                "learning from session %s was cut off: it took too long", session.session_id
            )
            return Learned()

        learning = self._learn_from(session, dry_run=dry_run)
        try:
            return await in_time(learning, limit_s=limit_s, otherwise=cut_off)
        except SecondhopError as error:
            logger.warning("nothing was learned from session %s: %s", session.session_id, error)
            return Learned()


async def abandon_those_with(memory_ids: Sequence[str], store: SessionStore, *, owner: str) -> None:
    """Abandon the owner's open sessions that contain one of these memories.

    Such a session cannot go on: its queries may hold words of the memory.
    """
    for session_id in await store.open_ids(owner=owner):
        while True:
            stored = await store.load(session_id, owner=owner)
            if stored is None or not names_one(stored.document, memory_ids):
                break
            if await store.save(ended(stored, "abandoned")):
                break


def ended(stored: StoredSession, status: SessionStatus) -> StoredSession:
    """The session with this status and without its document."""
    return replace(stored, version=stored.version + 1, status=status, document=b"")


def expect_round(number: int, state: SessionState) -> None:
    """Raise RoundMovedOnError if another round is the current one."""
    if number != state["round"]:
        raise RoundMovedOnError(state["session_id"], voted=number, current=state["round"])


def seconds_from_now(seconds: float) -> datetime:
    """The moment that is so many seconds from now."""
    return datetime.now(UTC) + timedelta(seconds=seconds)
