"""A session in a terminal: shows its answers, and does what keys say."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from secondhop.cli.session_view import (
    HELP,
    show_round,
    show_why,
    titled,
    titles_of,
)
from secondhop.errors import NoRoundsLeftError, RoundMovedOnError, UsageError
from secondhop.graph.result import RecalledMemory
from secondhop.sessions.learner import Resolution
from secondhop.sessions.session import RecallSession
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

VOTES = {"h": "hot", "w": "warm", "c": "cold", "x": "wrong", "s": "spark"}


class SessionTerminal:
    """One session between its keys and its screen. Votes are kept here until the round ends."""

    def __init__(
        self,
        session: RecallSession,
        console: "Console",
        *,
        place: str = "",
        dry_run: bool = False,
    ) -> None:
        """The session has begun.

        Args:
            place: options of a next command that finds the same memory.
            dry_run: its end counts and teaches nothing; it says so.
        """
        self._session, self._console, self._place_again = session, console, place
        self._dry_run = dry_run
        self._titles: dict[str, str] = {}
        """Of all that was shown."""
        self._votes: dict[str, str] = {}
        self._done: list[tuple[str, str]] = []
        """(memory, its vote before), the latest last: what `u` takes back."""
        self._place, self._typed = 0, ""
        self._lost = False
        """Whether the last number was none of these: a vote now would fall on another memory."""

    async def run(self, typed: AsyncIterator[str]) -> Resolution | None:
        """Until it is resolved; None: the keys ended, or the user quit."""
        if self._dry_run:
            self._say("Dry run: votes and the end count nothing and teach nothing.")
        self._show()
        async for key in typed:
            if key == "q":
                break
            if key == "r":
                return await self._resolve()
            await self._press(key)
        self._say("Given up; nothing of it is kept.")
        return None

    async def _press(self, key: str) -> None:
        """One key; white space ends a number, and an unknown key shows the help."""
        if key.isdecimal() and key.isascii():
            self._pick(key)
            return
        self._typed = ""
        if key in VOTES:
            self._vote(VOTES[key])
        elif key == "u":
            self._undo()
        elif key == "n":
            await self._next()
        elif key == "?":
            self._why()
        elif not key.isspace():
            self._say(HELP)

    def _shown(self) -> list[RecalledMemory]:
        """What has a number, in its order: the answer, then the branches."""
        answer = self._session.answer
        return [*answer.memories, *(one for branch in answer.branches for one in branch.memories)]

    def _pick(self, digit: str) -> None:
        """Go to the memory of that number; "1" and "2" in a row are 12 where there are as many."""
        count = len(self._shown())
        longer = self._typed + digit
        self._typed = longer if 0 < int(longer) <= count else digit
        if not 0 < int(self._typed) <= count:
            self._say(f"There is no number {self._typed}; they go from 1 to {count}.")
            self._typed, self._lost = "", True
            return
        self._place, self._lost = int(self._typed) - 1, False
        self._tell_place()

    def _vote(self, vote: str) -> None:
        """Vote on the memory at hand, and go to the next."""
        shown = self._shown()
        if not shown:
            self._say("There is nothing to vote on.")
            return
        if self._lost:
            self._say(f"No vote: type a number from 1 to {len(shown)} first.")
            return
        memory = shown[self._place]
        self._done.append((memory.id, self._votes.get(memory.id, "")))
        self._votes[memory.id] = vote
        self._tell_place()
        self._place = min(self._place + 1, len(shown) - 1)

    def _undo(self) -> None:
        """Take back the latest vote of this round, and go back to its memory."""
        if not self._done:
            self._say("There is nothing to undo in this round.")
            return
        memory_id, before = self._done.pop()
        self._votes[memory_id] = before
        self._place = [memory.id for memory in self._shown()].index(memory_id)
        self._lost = False
        self._tell_place()

    def _tell_place(self) -> None:
        """The memory at hand, and its vote."""
        memory = self._shown()[self._place]
        vote = self._votes.get(memory.id) or "no vote"
        self._say(f"{self._place + 1}. {titled(memory)}: {vote}")

    def _why(self) -> None:
        """Why the memory at hand is here."""
        shown = self._shown()
        if shown:
            show_why(shown[self._place], self._console, number=self._place + 1)
        else:
            self._say(self._session.answer.why)

    async def _next(self) -> None:
        """Let the votes count, and show the next answer; what forbids that is said."""
        try:
            await self._session.vote(self._cast())
        except (NoRoundsLeftError, UsageError) as error:
            self._say(str(error))
            return
        except RoundMovedOnError as error:
            self._say(str(error))
            await self._session.refresh()
        self._votes, self._done, self._place, self._lost = {}, [], 0, False
        self._show()

    async def _resolve(self) -> Resolution:
        """End it with what was voted hot or warm; the votes of this round count."""
        if cast := self._cast():
            await self._session.vote(cast, go_on=False)
        resolution = await self._session.resolve(dry_run=self._dry_run)
        accepted = resolution.session.accepted
        ended = f"with {len(accepted)} of {len(resolution.session.shown)} shown."
        if self._dry_run:
            changed = resolution.learned.updated
            self._say(
                f"Would have resolved {ended} {counted(changed, 'memory')} would weigh otherwise "
                f"in this context; nothing was counted, nothing was learned."
            )
        else:
            self._say(f"Resolved {ended}")
        return resolution

    def _cast(self) -> dict[str, str]:
        """The votes of this round that were not taken back."""
        return {memory_id: vote for memory_id, vote in self._votes.items() if vote}

    def _show(self) -> None:
        """The answer that stands."""
        answer = self._session.answer
        show_round(answer, self._console, titles=self._titles, place=self._place_again)
        self._titles |= titles_of(answer)

    def _say(self, line: str) -> None:
        """One line, the text in it without controls."""
        self._console.print(line, soft_wrap=True)
