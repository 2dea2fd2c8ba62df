"""A recall that stays open: `async with recall.sessions.open(question) as s: …`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from secondhop.errors import SessionError, UsageError
from secondhop.graph.session_result import SessionAnswer
from secondhop.sessions.learner import Resolution
from secondhop.sessions.rounds import Progress

if TYPE_CHECKING:
    from secondhop.sessions.service import Sessions


class RecallSession:
    """One session, from its first answer to its end. Leaving it unresolved abandons it.

    Made by `recall.sessions.open`; use it as an async context manager. Others may vote on the same
    session by its id at the same time (`Sessions.avote`).
    """

    def __init__(
        self,
        sessions: "Sessions",
        question: str,
        *,
        k: int | None = None,
        max_rounds: int | None = None,
        ttl_s: float | None = None,
        at: datetime | None = None,
        progress: Progress | None = None,
    ) -> None:
        """As `Sessions.astart`; nothing happens before the block is entered."""
        self._sessions, self._question, self._progress = sessions, question, progress
        self._k, self._max_rounds, self._ttl_s, self._at = k, max_rounds, ttl_s, at
        self._answer: SessionAnswer | None = None
        self._over = False

    @property
    def answer(self) -> SessionAnswer:
        """The answer that this caller saw last.

        Raises:
            UsageError: the session has not begun.
        """
        if self._answer is None:
            raise UsageError(
                "the session has not begun; use it as `async with recall.sessions.open(…)`"
            )
        return self._answer

    @property
    def session_id(self) -> str:
        """The id by which others find it."""
        return self.answer.session_id

    async def vote(
        self,
        votes: Mapping[str, str],
        *,
        by: str = "person",
        go_on: bool = True,
        request_id: str | None = None,
    ) -> SessionAnswer:
        """Vote on `answer`; returns the next answer. As `Sessions.avote`."""
        self._answer = await self._sessions.avote(
            self.session_id,
            votes,
            by=by,
            round_number=self.answer.round,
            go_on=go_on,
            request_id=request_id,
            progress=self._progress,
        )
        return self._answer

    async def refresh(self) -> SessionAnswer:
        """The current answer, after others voted."""
        self._answer = await self._sessions.aget(self.session_id)
        return self._answer

    async def resolve(
        self, accepted: Sequence[str] | None = None, *, note: str = "", dry_run: bool = False
    ) -> Resolution:
        """End it and say what helped. As `Sessions.aresolve`."""
        resolution = await self._sessions.aresolve(
            self.session_id, accepted=accepted, note=note, dry_run=dry_run
        )
        self._over = not dry_run
        return resolution

    async def abandon(self) -> None:
        """Abandon it: nothing of it is kept or learned."""
        await self._sessions.aabandon(self.session_id)
        self._over = True

    async def __aenter__(self) -> Self:
        self._answer = await self._sessions.astart(
            self._question,
            k=self._k,
            max_rounds=self._max_rounds,
            ttl_s=self._ttl_s,
            at=self._at,
            progress=self._progress,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._over:
            with suppress(SessionError):
                await self.abandon()
