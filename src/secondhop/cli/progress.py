"""Progress on standard error: bars on a terminal, or else a plain line now and then."""

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean, notices

if TYPE_CHECKING:
    from secondhop.ingest.run import IngestProgress


EVERY_S = 10.0
"""Seconds between two plain lines; shorter work prints none."""

_silent: ContextVar[bool] = ContextVar("_silent", default=False)


@contextmanager
def silent(on: bool) -> Generator[None, None, None]:
    """Print no plain lines inside if `on`: a program reads the output (`--json`)."""
    before = _silent.set(on)
    try:
        yield
    finally:
        _silent.reset(before)


class PlainLines:
    """Prints how far the work is, every `EVERY_S` seconds, as a sign of life in a log."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due = clock() + EVERY_S
        self._stages: dict[str, str] = {}
        self._printing = threading.Lock()
        self._told = ""
        """The last line printed; "" if there was none."""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """As `IngestProgress`."""
        known = [str(count) for count in (done, total) if count is not None]
        self._stages[stage] = f"{stage} {'/'.join(known)}"
        self.beat()

    def beat(self) -> None:
        """Print a line if one is due and the work has begun."""
        with self._printing:
            if self._stages and (now := self._clock()) >= self._due:
                self._due = now + EVERY_S
                self._tell()

    @contextmanager
    def beating(self) -> Generator[None, None, None]:
        """Print lines inside although nothing moves: a model may take long for one answer."""
        ended = threading.Event()

        def beats() -> None:
            while not ended.wait(max(0.5, self._due - self._clock())):
                self.beat()

        thread = threading.Thread(target=beats, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def finish(self) -> None:
        """Print the final state if an earlier line was printed and differs."""
        if self._told not in ("", self._line()):
            self._tell()

    def _line(self) -> str:
        return clean(", ".join(self._stages.values()))

    def _tell(self) -> None:
        self._told = self._line()
        with suppress(OSError):  # standard error may be closed; the work goes on
            print(f"secondhop: {self._told}", file=sys.stderr, flush=True)


@contextmanager
def bars() -> Generator["IngestProgress | None", None, None]:
    """A progress callback that draws one bar per stage, or prints plain lines without a terminal.

    None if plain lines are silenced, too (`silent`).
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID

    console = notices()
    if not console.is_terminal:
        if _silent.get():
            yield None
            return
        lines = PlainLines()
        with lines.beating():
            yield lines
        lines.finish()
        return
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(clean(stage), total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield report
