"""What `Recall` can do with sessions."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from secondhop.blocking import blocking
from secondhop.given_values import check_counts, check_moments, check_text
from secondhop.graph.session_result import SessionAnswer
from secondhop.sessions.learner import Resolution
from secondhop.sessions.rounds import Progress
from secondhop.sessions.service import Sessions
from secondhop.sessions.session import RecallSession
from secondhop.sync_door import SyncDoor


class KeepsSessions:
    """Recalls that stay open for votes: a part of `Recall`. docs/sessions.md tells the story.

    Sessions are known by id: what one process starts, another may vote on and resolve, as long as
    both use the same store of sessions.
    """

    _door: SyncDoor
    _open_sessions: Sessions

    @property
    def sessions(self) -> Sessions:
        """The sessions of this entity."""
        return self._open_sessions

    def session(
        self,
        question: str,
        *,
        k: int | None = None,
        max_rounds: int | None = None,
        ttl_s: float | None = None,
        at: datetime | None = None,
        progress: Progress | None = None,
    ) -> RecallSession:
        """A recall that is voted on: `async with recall.session(question) as s: …`.

        Args:
            question: as the person asked it.
            k: memories a round shows beside those that were voted for; default
                `SessionSettings.k` (5).
            max_rounds: answers that the session gives; default `SessionSettings.max_rounds` (4).
            ttl_s: seconds without a vote after which it expires; default
                `SessionSettings.ttl_s` (300).
            at: "now" for the question; default the clock.
            progress: hears every step of every round as it ends.
        """
        check_asked(question, k=k, max_rounds=max_rounds, at=at)
        return RecallSession(
            self._open_sessions,
            question,
            k=k,
            max_rounds=max_rounds,
            ttl_s=ttl_s,
            at=in_utc(at),
            progress=progress,
        )

    async def astart_session(
        self,
        question: str,
        *,
        k: int | None = None,
        max_rounds: int | None = None,
        ttl_s: float | None = None,
        at: datetime | None = None,
        progress: Progress | None = None,
    ) -> SessionAnswer:
        """Open a session that is voted on by its id; the first answer. As `session`.

        Raises:
            UsageError: an empty question, or k, max_rounds or ttl_s that cannot be.
            UnknownEntityError: nothing is stored for the entity.
        """
        check_asked(question, k=k, max_rounds=max_rounds, at=at)
        return await self._open_sessions.start(
            question,
            k=k,
            max_rounds=max_rounds,
            ttl_s=ttl_s,
            at=in_utc(at),
            progress=progress,
        )

    start_session = blocking(astart_session)

    async def aget_session(self, session_id: str) -> SessionAnswer:
        """The answer that stands, with the votes noted on it. As `Sessions.answer`."""
        return await self._open_sessions.answer(session_id)

    get_session = blocking(aget_session)

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
        """Vote on the answer that stands; the next answer. As `Sessions.vote`."""
        return await self._open_sessions.vote(
            session_id,
            votes,
            by=by,
            round_number=round_number,
            go_on=go_on,
            request_id=request_id,
            progress=progress,
        )

    vote = blocking(avote)

    async def aresolve(
        self,
        session_id: str,
        *,
        accepted: Sequence[str] | None = None,
        note: str = "",
        dry_run: bool = False,
    ) -> Resolution:
        """End a session with what helped. As `Sessions.resolve`."""
        return await self._open_sessions.resolve(
            session_id, accepted=accepted, note=note, dry_run=dry_run
        )

    resolve = blocking(aresolve)

    async def aabandon(self, session_id: str) -> None:
        """Give a session up. As `Sessions.abandon`."""
        await self._open_sessions.abandon(session_id)

    abandon = blocking(aabandon)


def check_asked(question: object, *, k: object, max_rounds: object, at: object) -> None:
    """Raises UsageError for what no session can be started with."""
    check_text(question, name="the question")
    check_counts(k=k, max_rounds=max_rounds)
    check_moments(at=at)


def in_utc(moment: datetime | None) -> datetime | None:
    """A moment without a zone is meant in UTC."""
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None
