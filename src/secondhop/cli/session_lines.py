"""A session by lines of words: "1h 2c" votes, "n" is the next round, "r" the end."""

import asyncio
import re
import sys
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from secondhop.cli.session_view import HELP, show_round, show_why, titled, titles_of
from secondhop.errors import NoRoundsLeftError, RoundMovedOnError, UsageError
from secondhop.graph.result import RecalledMemory
from secondhop.sessions.learner import Resolution
from secondhop.sessions.session import RecallSession
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

VOTES = {"h": "hot", "w": "warm", "c": "cold", "x": "wrong", "s": "spark"}

WORD = re.compile(r"(\d*)([^\s\d]|$)")
"""A number, where one is said, and the letter of what to do."""


async def typed_lines() -> AsyncIterator[str]:
    """Lines of standard input until its end; Ctrl-C need not wait for the next one."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str]()

    def read() -> None:
        while line := sys.stdin.readline():
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "")

    threading.Thread(target=read, daemon=True).start()
    while line := await lines.get():
        yield line


class SessionLines:
    """One session between its lines and its screen. Votes are kept here until the round ends."""

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
        self._session, self._console, self._place = session, console, place
        self._dry_run = dry_run
        self._titles: dict[str, str] = {}
        """Of all that was shown."""
        self._votes: dict[str, str] = {}

    async def run(self, lines: AsyncIterator[str]) -> Resolution | None:
        """Until it is resolved; None: the lines ended, or the user quit."""
        if self._dry_run:
            self._say("Dry run: votes and the end count nothing and teach nothing.")
        self._show()
        async for line in lines:
            for number, letter in WORD.findall(line.strip()):
                if letter == "q":
                    self._say("Given up; nothing of it is kept.")
                    return None
                if letter == "r":
                    return await self._resolve()
                if number or letter:
                    await self._do(letter, int(number) if number else None)
        self._say("Given up; nothing of it is kept.")
        return None

    async def _do(self, letter: str, number: int | None) -> None:
        """One word; what cannot be done is said."""
        if letter == "n":
            await self._next()
        elif letter == "?" and number is None:
            self._say(self._session.answer.why)
        elif letter not in {*VOTES, "?"} or number is None:
            self._say(HELP)
        elif not 1 <= number <= len(shown := self._shown()):
            self._say(f"There is no number {number}; they go from 1 to {len(shown)}.")
        elif letter == "?":
            show_why(shown[number - 1], self._console, number=number)
        else:
            memory = shown[number - 1]
            self._votes[memory.id] = VOTES[letter]
            self._say(f"{number}. {titled(memory)}: {VOTES[letter]}")

    def _shown(self) -> list[RecalledMemory]:
        """What has a number, in its order: the answer, then the branches."""
        answer = self._session.answer
        return [*answer.memories, *(one for branch in answer.branches for one in branch.memories)]

    async def _next(self) -> None:
        """Let the votes count, and show the next answer; what forbids that is said."""
        try:
            await self._session.vote(self._votes)
        except (NoRoundsLeftError, UsageError) as error:
            self._say(str(error))
            return
        except RoundMovedOnError as error:
            self._say(str(error))
            await self._session.refresh()
        self._votes = {}
        self._show()

    async def _resolve(self) -> Resolution:
        """End it with what was voted hot or warm; the votes of this round count."""
        if self._votes:
            await self._session.vote(self._votes, go_on=False)
        resolution = await self._session.resolve(dry_run=self._dry_run)
        ended = resolution.session
        told = f"with {len(ended.accepted)} of {len(ended.shown)} shown."
        if self._dry_run:
            changed = counted(resolution.learned.updated, "memory")
            self._say(
                f"Would have resolved {told} {changed} would weigh otherwise for such questions; "
                f"nothing was counted, nothing was learned."
            )
        else:
            self._say(f"Resolved {told}")
        return resolution

    def _show(self) -> None:
        """The answer that stands."""
        answer = self._session.answer
        show_round(answer, self._console, titles=self._titles, place=self._place)
        self._titles |= titles_of(answer)

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)
