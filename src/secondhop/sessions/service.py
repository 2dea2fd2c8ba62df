"""Sessions by their id: any process that shares the store may serve any step of them."""

import asyncio
import hashlib
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeGuard, cast

from secondhop.errors import (
    RoundMovedOnError,
    SecondhopError,
    SessionAbandonedError,
    SessionError,
    SessionExpiredError,
    SessionOverError,
    SessionResolvedError,
    UnknownSessionError,
    UsageError,
)
from secondhop.given_values import check_text, shown
from secondhop.graph.session_result import ResolvedSession, SessionAnswer
from secondhop.nodes.critics.voting import (
    check_rounds_left,
    check_shown,
    checked_ballot,
    checked_voter,
    shown_ever,
    shown_now,
)
from secondhop.nodes.session_state import SessionInput, SessionState
from secondhop.sessions.learner_port import (
    Foresees,
    Learned,
    LearnsNothing,
    Resolution,
    SessionLearner,
)
from secondhop.sessions.lease import lease_kept
from secondhop.sessions.rounds import Progress, SessionRounds
from secondhop.stores.sessions import (
    CastVotes,
    RoundBallot,
    SessionHead,
    SessionStore,
    StoredSession,
)

logger = logging.getLogger(__name__)

POLL_S = 0.03
"""Between two looks at a round that another worker computes."""

_OVER: Mapping[str, type[SessionOverError]] = {
    "expired": SessionExpiredError,
    "resolved": SessionResolvedError,
    "abandoned": SessionAbandonedError,
}


class Sessions:
    """Starts, votes on, resolves and abandons the sessions of one entity.

    Votes are recorded before anything is computed, and a round is published once: a worker that is
    killed in between loses no vote, and whoever touches the session next computes the round.
    """

    def __init__(
        self,
        rounds: SessionRounds,
        store: SessionStore,
        *,
        entity: str,
        ready: Callable[[], Awaitable[None]],
        learner: SessionLearner | None = None,
    ) -> None:
        """`ready` is awaited before a round is computed: models get ready, an error ends it."""
        self._rounds, self._store, self._ready = rounds, store, ready
        self._owner = owner_of(entity)
        self._settings = rounds.services.session
        self.learner: SessionLearner = learner or LearnsNothing()
        """Gets every session that is resolved here."""

    async def start(
        self,
        question: str,
        *,
        k: int | None = None,
        max_rounds: int | None = None,
        ttl_s: float | None = None,
        at: datetime | None = None,
        progress: Progress | None = None,
    ) -> SessionAnswer:
        """Open a session; its first answer."""
        if ttl_s is not None and not ttl_s > 0:
            raise UsageError(f"ttl_s must be above 0 seconds, not {ttl_s}")
        session_id = uuid.uuid4().hex
        asked: SessionInput = {
            "question": question,
            "k": k,
            "asked_at": at.isoformat() if at else None,
            "session_id": session_id,
            "max_rounds": max_rounds,
            "ttl_s": ttl_s,
        }
        await self._ready()
        state = await self._rounds.first(asked, progress=progress)
        ttl_s = state["ttl_s"]
        packed = self._rounds.packed(state)
        await self._store.create(session_id, owner=self._owner, state=packed, ttl_s=ttl_s)
        return await self._rounds.answer(state, expires_at=in_(ttl_s), votes={})

    async def answer(self, session_id: str, *, progress: Progress | None = None) -> SessionAnswer:
        """The answer that stands. Writes nothing, unless a round was left unfinished."""
        stored = await self._finished(session_id, progress=progress)
        state = await self._rounds.unpacked(stored.state)
        return await self._rounds.answer(
            state, expires_at=in_(stored.expires_in_s), votes=stored.votes
        )

    async def vote(
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
        """Vote on the answer that stands; the next answer.

        All votes count, or none. Of two voters at the same time one wins the round.

        Args:
            votes: {memory id: "hot", "warm", "cold", "wrong" or "spark"}; "" takes back a vote
                that was cast with go_on=False.
            by: "person" or "agent".
            round_number: of the answer that was judged; default the one that stands.
            go_on: False: only note the votes; they may be changed until somebody goes on, and the
                answer that stands comes back.
            request_id: a vote repeated with the same one, because its reply was lost, is the same
                vote: it is not counted twice, and not refused either, whoever voted since. The
                answer that stands comes back. (A vote that is only noted is counted once anyway.)

        Raises:
            RoundMovedOnError: the round was over when the votes came; none was counted.
            NoRoundsLeftError: this is the last answer; votes with go_on=False still count.
            VoteRefusedError: a memory that the answer does not show.
            UsageError: no such vote or voter, or nothing to go on with.
            SessionOverError: it expired, was resolved or abandoned.
            UnknownSessionError: no such session of this entity.
        """
        check_is_mapping(votes)
        request_id = request_id or uuid.uuid4().hex
        before = await self._known(session_id)
        state = await self._rounds.unpacked(before.state)
        if request_id in {before.head.request_id, *state.get("requests", [])}:
            return await self.answer(session_id, progress=progress)
        voted = before.head.round if round_number is None else round_number
        if before.head.closed or voted != before.head.round:
            raise RoundMovedOnError(session_id, voted=voted, current=before.head.round)
        ballot = RoundBallot(
            round=voted,
            by=checked_voter(by),
            votes=checked_votes(votes, before.votes, state, by=by, go_on=go_on),
            closes=go_on,
            request_id=request_id if go_on else "",
            worker=request_id,
            lease_s=self._settings.lease_s,
        )
        written = await self._store.record(session_id, ballot, ttl_s=state["ttl_s"])
        if not written.done:
            if written.head is None or written.head.request_id != request_id:
                raise refusal(session_id, written.head, voted=voted)
            return await self.answer(session_id, progress=progress)
        if not go_on:
            return await self._rounds.answer(
                state, expires_at=in_(state["ttl_s"]), votes=written.votes
            )
        after = await self._next(
            asked_by(request_id, state), written.votes, worker=request_id, progress=progress
        )
        if after is None:
            return await self.answer(session_id, progress=progress)
        return await self._rounds.answer(after, expires_at=in_(after["ttl_s"]), votes={})

    async def resolve(
        self,
        session_id: str,
        *,
        accepted: Sequence[str] | None = None,
        note: str = "",
        dry_run: bool = False,
    ) -> Resolution:
        """End a session with what helped; votes noted on its last answer count.

        Of two who resolve at the same time, one does. What is learned, is learned at most once.

        Args:
            accepted: memories that helped, of any answer; default those last voted hot or warm.
            note: for whoever learns from it.
            dry_run: only tell what it would come to and teach; the session stays open.

        Raises:
            RoundMovedOnError: somebody voted at the same moment; nothing was resolved.
            VoteRefusedError: a memory that no answer has shown.
            UsageError: a note that is no text, or ids that are no list of texts.
            SessionOverError, UnknownSessionError: as for `vote`.
        """
        check_text(note, name="the note")
        chosen = None if accepted is None else given_ids(accepted)
        stored = await self._known(session_id)
        state = await self._rounds.unpacked(stored.state)
        check_shown(chosen or (), shown_ever(state), state)
        if dry_run:
            session = await self._rounds.settled(
                state, votes=stored.votes, accepted=chosen, note=note
            )
            return Resolution(session=session, learned=await self._foreseen(session), dry_run=True)
        number = stored.head.round
        written = await self._store.end(session_id, round_number=number, status="resolved")
        if not written.done:
            raise refusal(session_id, written.head, voted=number)
        session = await self._rounds.settled(state, votes=written.votes, accepted=chosen, note=note)
        return Resolution(session=session, learned=await self._learn(session))

    async def abandon(self, session_id: str) -> None:
        """Give a session up: nothing of it is kept, nothing is learned.

        One that is over already stays as it ended.

        Raises:
            UnknownSessionError: no such session of this entity.
        """
        while True:
            try:
                stored = await self._known(session_id)
            except SessionOverError:
                return
            number = stored.head.round
            written = await self._store.end(session_id, round_number=number, status="abandoned")
            if written.done:
                return

    async def forget(self, memory_ids: Sequence[str]) -> None:
        """Abandon the open sessions that know one of these memories: nothing of it is left there.

        Raises:
            StoreError: the store of sessions cannot be written; forget again.
        """
        await self._store.forget(memory_ids, owner=self._owner)

    async def aclose(self) -> None:
        """Close the store's connections; sessions stay open for others."""
        await self._store.aclose()

    # --- inside ---

    async def _known(self, session_id: str) -> StoredSession:
        """An open session of this entity.

        Raises:
            SessionError: there is none of that id.
        """
        stored = await self._store.load(session_id)
        if stored is None or stored.head.owner != self._owner:
            raise UnknownSessionError(session_id)
        if stored.head.status != "open":
            raise refusal(session_id, stored.head, voted=stored.head.round)
        return stored

    async def _finished(self, session_id: str, *, progress: Progress | None) -> StoredSession:
        """The session with no round half done: whoever left one, it is waited for or computed."""
        worker = uuid.uuid4().hex
        while True:
            stored = await self._known(session_id)
            if not stored.head.closed:
                return stored
            mine = await self._store.claim(
                session_id,
                round_number=stored.head.round,
                worker=worker,
                lease_s=self._settings.lease_s,
            )
            if mine:
                state = await self._rounds.unpacked(stored.state)
                state = asked_by(stored.head.request_id, state)
                await self._next(state, stored.votes, worker=worker, progress=progress)
            else:
                await asyncio.sleep(POLL_S)

    async def _next(
        self, state: SessionState, votes: CastVotes, *, worker: str, progress: Progress | None
    ) -> SessionState | None:
        """Compute the round after a closed one and publish it; None: somebody else did."""
        session_id, number = state["session_id"], state["round"]
        await self._ready()
        async with lease_kept(
            self._store,
            session_id,
            round_number=number,
            worker=worker,
            lease_s=self._settings.lease_s,
        ):
            after = await self._rounds.next(state, votes, progress=progress)
            written = await self._store.publish(
                session_id,
                round_number=number,
                state=self._rounds.packed(after),
                ttl_s=after["ttl_s"],
            )
        return after if written.done else None

    async def _foreseen(self, session: ResolvedSession) -> Learned:
        """What would be learned; nothing, where the learner cannot say."""
        learner = self.learner
        return await learner.would_learn(session) if isinstance(learner, Foresees) else Learned()

    async def _learn(self, session: ResolvedSession) -> Learned:
        """What is learned; a session that cannot be learned from is resolved all the same."""
        try:
            return await self.learner.learn(session)
        except SecondhopError as error:
            logger.warning("nothing was learned from session %s: %s", session.session_id, error)
            return Learned()


def checked_votes(
    votes: Mapping[str, str], noted: CastVotes, state: SessionState, *, by: str, go_on: bool
) -> dict[str, str]:
    """The votes, if every one of them may be cast now.

    Raises:
        SecondhopError: one may not, no round is left, or there is nothing to go on with.
    """
    check_shown(votes, shown_now(state), state)
    cast = {memory_id: vote for memory_id, vote in votes.items() if vote != ""}
    checked_ballot(cast, by=by, state=state)
    if go_on:
        check_rounds_left(state)
        if not cast and not any(noted.values()):
            raise UsageError("no vote was cast; vote on a memory, or resolve the session")
    return dict(votes)


def check_is_mapping(votes: object) -> None:
    """Raises UsageError for what are no votes by memory."""
    if not isinstance(votes, Mapping):
        raise UsageError(f'votes must look like {{id: "hot"}}, not {shown(votes)}')


def given_ids(accepted: object) -> list[str]:
    """Raises UsageError for what is no list of ids."""
    if are_ids(accepted):
        return list(accepted)
    raise UsageError(f"accepted must be a list of memory ids, not {shown(accepted)}")


def are_ids(given: object) -> TypeGuard[Collection[str]]:
    """Whether it is a list of texts, or the like."""
    several = isinstance(given, Collection) and not isinstance(given, str)
    return several and all(isinstance(one, str) for one in cast(Collection[object], given))


def asked_by(request_id: str, state: SessionState) -> SessionState:
    """The state, knowing whose votes open the round after it."""
    return {**state, "requests": [*state.get("requests", []), request_id]}


def refusal(session_id: str, head: SessionHead | None, *, voted: int) -> SessionError:
    """Why a write was not done."""
    if head is None:
        return UnknownSessionError(session_id)
    if head.status in _OVER:
        return _OVER[head.status](session_id)
    return RoundMovedOnError(session_id, voted=voted, current=head.round)


def owner_of(entity: str) -> str:
    """What stands for an entity in a store of sessions: its name is nobody's business there."""
    return hashlib.sha256(entity.encode("utf-8", "surrogatepass")).hexdigest()


def in_(seconds: float) -> datetime:
    """So many seconds from now."""
    return datetime.now(UTC) + timedelta(seconds=seconds)
