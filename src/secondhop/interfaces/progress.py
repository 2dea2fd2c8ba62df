"""Progress bars on standard error, and only where a person watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from secondhop.interfaces.terminal import clean, notices

Report: TypeAlias = Callable[[str, int, int | None], None]
"""Called with (what is counted, how many are done, how many in all or None when unknown)."""


@contextmanager
def bars(*, of_bytes: bool = False) -> Iterator[Report | None]:
    """Draws one bar for each thing that is reported; None where nobody watches."""
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TaskID

    console = notices()
    if not console.is_terminal:
        yield None
        return
    columns = (
        "{task.description}",
        BarColumn(),
        DownloadColumn() if of_bytes else MofNCompleteColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def report(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(clean(name), total=total)
            progress.update(tasks[name], completed=done, total=total)

        yield report
