"""Progress bars on standard error, and only where a person watches."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from secondhop.interfaces.terminal import clean, notices

if TYPE_CHECKING:
    from secondhop.ingest.run import IngestProgress


@contextmanager
def bars(*, of_bytes: bool = False) -> Generator["IngestProgress | None", None, None]:
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

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(clean(stage), total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield report
