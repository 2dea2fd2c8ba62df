"""A recall that stays open: `async with recall.sessions.open(question) as s: …`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from secondhop.errors import SessionError, UsageError
from secondhop.graph.session_result import SessionAnswer
from secondhop.nodes.state import Effort
from secondhop.sessions.learner import Resolution
from secondhop.sessions.rounds import Progress
from secondhop.stores.where import Where

if TYPE_CHECKING:
    from secondhop.sessions.service import Sessions


class SessionOptions(TypedDict, total=False):
    """How a session is asked; everything has a default."""

    k: int | None
    """Memories that a round shows beside those voted for; default `SessionSettings.k` (5)."""
    max_rounds: int | None
    """Answers that the session gives; default `SessionSettings.max_rounds` (4)."""
    ttl_s: float | None
    """Seconds without a vote after which it expires; default `SessionSettings.ttl_s` (300)."""
    at: datetime | None
    """ "Now" for the question; default the clock."""
    as_of: datetime | None
    """As for `Recall.arecall`, like the next four."""
    include_stale: bool
    where: Where | None
    earlier: Sequence[str]
    effort: Effort | None
    """Default "high" if there is a critic, which then votes in every round. With "low" it votes in
    the first; with "none" only the caller votes."""
    progress: Progress | None
    """Called with every step of every round as it ends."""


class RecallSession:
    """One session, from its first answer to its end. Leaving it unresolved abandons it.

    Made by `recall.sessions.open`; use it as an async context manager. Others may vote on the same
    session by its id at the same time (`Sessions.avote`).
    """

    def __init__(
        self, sessions: "Sessions", question: str, **options: Unpack[SessionOptions]
    ) -> None:
        """As `Sessions.astart`; nothing happens before the block is entered."""
        self._sessions, self._question, self._options = sessions, question, options
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
            progress=self._options.get("progress"),
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
        self._answer = await self._sessions.astart(self._question, **self._options)
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
