"""`secondhop eval new`: label questions of your own store in the terminal."""

import sys
import threading
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.advised import place_again
from secondhop.cli.options import Common
from secondhop.cli.terminal import screen, shorten
from secondhop.errors import UsageError
from secondhop.headings import without_heading_signs
from secondhop.wording import as_typed, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from secondhop.evals.new_scenario import Labels, ScenarioFolder
    from secondhop.recall import Recall
    from secondhop.stores.records import Memory

HELP = """\
NAME: 1 3u 5m   something that a good answer needs; 1 is essential for it, 3 useful, 5 marginal
2=4             they say the same       4>1      4 is outdated by 1
none            nothing answers it      Enter    next question; without labels this one is left out
+ WORDS         more candidates: those with all these words, or this id
? QUESTION      a question of yours     q        stop"""


def new_scenario(
    common: Common,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the scenario is written.")],
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUESTION...]", help="[questions asked before, then broad cues]"),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", "-k", min=1, metavar="N", help="Memories per answer.")
    ] = 5,
    shown: Annotated[
        int, typer.Option(min=1, metavar="N", help="Candidates shown per question.")
    ] = 15,
) -> None:
    """Label questions about your own store, as a scenario for `eval scenarios`.

    Shows candidates for each question, and takes lines that say which of them a good answer needs.
    Labels are saved at once; run it again on the same folder to continue. If you name a question
    again, its new labels replace the old ones.
    """
    from secondhop.cli.opening import opened, run, settings_of, untraced
    from secondhop.evals.new_scenario import ScenarioFolder, proposed_questions

    scenario = ScenarioFolder(folder)

    async def work() -> None:
        async with opened(common, settings=untraced(settings_of(common))) as recall:
            asked = scenario.asked()
            proposed = [] if questions else await proposed_questions(recall)
            waiting = questions or [one for one in proposed if one not in asked]
            labelling = Labelling(
                recall=recall,
                scenario=scenario,
                console=screen(),
                at=common.at or datetime.now(UTC),
                k=k,
                shown=shown,
                place=place_again(common),
            )
            await labelling.run(waiting, typed_lines())
            if len(scenario):
                await scenario.add_memories(recall)

    run(work())


async def typed_lines() -> AsyncIterator[str]:
    """Lines of standard input, read in a thread so that Ctrl-C works while it waits."""
    import asyncio

    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str]()

    def read() -> None:
        while line := sys.stdin.readline():
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "")

    threading.Thread(target=read, daemon=True).start()
    while line := await lines.get():
        yield line


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """A dialogue that shows questions with candidates and takes labels."""

    recall: "Recall"
    scenario: "ScenarioFolder"
    console: "Console"
    at: datetime
    """The time of the questions."""
    k: int
    """Memories per answer, written into the scenario."""
    shown: int
    """Candidates shown per question."""
    place: str
    """The options that open the same store again."""

    async def run(self, questions: "Iterable[str]", lines: AsyncIterator[str]) -> None:
        """Runs until the input ends or the user stops."""
        waiting = deque(questions)
        self._say(HELP)
        labels = await self._next(waiting)
        async for typed in lines:
            line = typed.strip()
            if line.startswith("?") and line[1:].strip():
                self._keep(labels)
                waiting.appendleft(line[1:].strip())
                labels = await self._next(waiting)
            elif line in ("", "none", "q"):
                self._keep(labels, unanswered=line == "none")
                if line == "q":
                    break
                labels = await self._next(waiting)
            elif labels is None:
                self._say("No question is open: ? QUESTION asks one, q stops.")
            elif line.startswith("+"):
                await self._find(labels, line[1:].strip())
            else:
                self._take(labels, line)
        else:
            self._keep(labels)
        self._say(f"{counted(len(self.scenario), 'question')} in {self.scenario.path}")
        if len(self.scenario):
            told = as_typed("eval", "scenarios", str(self.scenario.path))
            self._say(f"measure your store: {told} --stored{self.place}")
            self._say(f"measure the copies in the folder, as they are now: {told}")

    def _take(self, labels: "Labels", line: str) -> None:
        """Take one label; print the error if the line is not one."""
        try:
            labels.take(line)
        except UsageError as error:
            self._say(str(error))

    async def _find(self, labels: "Labels", words: str) -> None:
        """Show the memories with these words that were not candidates yet, with numbers."""
        known, first = {one.memory_id for one in labels.shown}, len(labels.shown) + 1
        holding = [one for one in await self.recall.memories.afind(words) if not one.end]
        found = [one.memory_id for one in holding if one.memory_id not in known]
        memories = [await self.recall.admin.store.memory(one) for one in found]
        labels.shown += [one for one in memories if one is not None][: self.shown]
        if len(labels.shown) < first:
            held = {one.memory_id for one in holding}
            above = [str(n) for n, one in enumerate(labels.shown, 1) if one.memory_id in held]
            place = f" but number {', '.join(above)} above" if above else ""
            self._say(f"no memory{place} has the words {words!r}")
        self._show(labels.shown[first - 1 :], first=first)

    def _keep(self, labels: "Labels | None", *, unanswered: bool = False) -> None:
        """Save the open question if it has labels or is unanswered by choice."""
        if labels is not None and (labels.facets or unanswered):
            self.scenario.add(labels, at=self.at, k=self.k)

    async def _next(self, waiting: deque[str]) -> "Labels | None":
        """Show the next question with its candidates; None if there is none."""
        from secondhop.evals.new_scenario import Labels, candidates

        if not waiting:
            self._say("\nNo more questions to propose: ? QUESTION asks one of yours, q stops.")
            return None
        question = waiting.popleft()
        found = await candidates(self.recall, question, at=self.at, limit=self.shown)
        self._say(f"\n{question}")
        if question in self.scenario.asked():
            self._say("It has labels already; new ones replace them.")
        self._show(found, first=1)
        return Labels(question=question, shown=found)

    def _show(self, memories: "Iterable[Memory]", *, first: int) -> None:

        for number, memory in enumerate(memories, start=first):
            text = without_heading_signs("\n\n".join(turn.content for turn in memory.messages))
            said = text if text.startswith(memory.title) else f"{memory.title}: {text}"
            self._say(f"{number:3}. {memory.created_at:%Y-%m-%d} {shorten(said, 120)}")

    def _say(self, line: str) -> None:
        self.console.print(line, soft_wrap=True, markup=False, highlight=False)
