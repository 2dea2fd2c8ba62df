"""Two systems side by side, for people: differences, intervals, p."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from secondhop.cli.eval_view import HEADINGS, figures_table
from secondhop.cli.terminal import clean
from secondhop.evals.comparison import COSTS, Comparison, Difference, p_shown
from secondhop.evals.significance import FEW
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SURE = 0.05
"""A smaller p is shown in bold."""


def show_comparison(comparison: Comparison, console: "Console") -> None:
    """Print one row a measure."""
    rows = [
        (HEADINGS.get(one.measure, one.measure), one)
        for one in comparison.differences
        if one.measure not in COSTS or one.ours or one.theirs
    ]
    console.print(differences_table(f"against {comparison.against}", rows))
    asked = sum(len(rows) for rows in comparison.gains.values())
    console.print(
        f"{counted(asked, 'question')} asked of both; diff: ours less "
        f"{clean(comparison.against)}, with its bootstrap interval; p: of the "
        f"randomisation test, bold below {SURE}. Of many measures "
        f"one is below it by chance: choose yours before you look.",
        style="dim",
    )
    if asked < FEW:
        console.print("So few questions say little: ask more to decide.", style="yellow")


def differences_table(title: str, rows: Iterable[tuple[str, Difference]]) -> "Table":
    """One row a label: both systems, and what differs."""
    table = figures_table(title, ["ours", "theirs", "diff", "95 %", "p", "won", "lost"])
    for label, row in rows:
        digits = 0 if row.measure in {"ms", "tokens"} else 3
        span = row.interval
        table.add_row(
            clean(label),
            f"{row.ours:.{digits}f}",
            f"{row.theirs:.{digits}f}",
            signed(span.difference, digits),
            f"{signed(span.low, min(digits, 2))}..{signed(span.high, min(digits, 2))}",
            p_shown(row.p),
            str(row.wins),
            str(row.losses),
            style="bold" if row.p < SURE else "",
        )
    return table


def signed(number: float, digits: int) -> str:
    """With its sign, and never "-0.00".

    >>> signed(0.1234, 2), signed(-0.001, 2)
    ('+0.12', '+0.00')
    """
    return f"{round(number, digits) + 0.0:+.{digits}f}"
