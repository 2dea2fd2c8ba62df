"""Sessions with a simulated user, for people: a table a scenario, and one of all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.evals.session_report import (
    SessionReport,
    lowered_share,
    mean_by_round,
    ratio_of,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def show_sessions(reports: Sequence[SessionReport], console: "Console") -> None:
    """Print alpha-nDCG of every answer, by system; then what the columns mean."""
    for report in reports:
        console.print(rounds_table(report.name, [report]))
        console.print()
    if len(reports) > 1:
        console.print(rounds_table("mean of the scenarios", reports))
        console.print()
    console.print("alpha-nDCG of the first answer and after each round of votes; ratio: the last")
    console.print("over the session's first; lower: questions whose last answer is worse than")
    console.print("their first. docs/sessions.md says who votes, and how.")


def rounds_table(title: str, reports: Sequence[SessionReport]) -> "Table":
    """One row a system."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(title, style="bold"), overflow="fold")
    answers = reports[0].votes + 1
    for name in ("first", *(f"vote {n}" for n in range(1, answers)), "ratio", "lower"):
        table.add_column(name, justify="right", no_wrap=True)
    for place, system in enumerate(reports[0].systems()):
        cells = [f"{value:.3f}" for value in mean_by_round(reports, system)]
        cells += [f"{ratio_of(reports, system):.2f}", f"{lowered_share(reports, system):.0%}"]
        table.add_row(Text(system), *cells, style="" if place else "bold")
    return table
