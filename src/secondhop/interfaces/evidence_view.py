"""An evidence evaluation for people: a table of the systems a set, and one of the types."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.evals.evidence_report import EvidenceReport, Recalls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

OURS = "secondhop"


def show_evidence(reports: Sequence[EvidenceReport], console: "Console") -> None:
    """Print for every set what each system reaches, and secondhop by type of question."""
    for report in reports:
        console.print(recall_table(report.name, report.means(), report.budgets))
        console.print(
            f"{len(report.results)} questions, {report.mean_ms():.0f} ms each", style="dim"
        )
        console.print()
        by_type = {
            f"{name} ({len(ids)})": report.mean(OURS, ids) for name, ids in report.types().items()
        }
        console.print(recall_table(f"{OURS}, by type", by_type, report.budgets))
        console.print()
    console.print("Evidence found within so many tokens (of four characters): higher is better.")


def recall_table(title: str, rows: Mapping[str, Recalls], budgets: Sequence[int]) -> "Table":
    """One row a system or type, one column a budget."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(Text(title, style="bold"), overflow="fold")
    for budget in budgets:
        table.add_column(f"{budget} tok", justify="right", no_wrap=True)
    for name, recalls in rows.items():
        style = "bold" if name == OURS else ""
        table.add_row(Text(name), *(f"{recalls[b]:.3f}" for b in budgets), style=style)
    return table
