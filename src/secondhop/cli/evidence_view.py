"""An evidence evaluation for people: one table a set, its systems and its types of question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.comparison_view import show_comparison
from secondhop.cli.eval_view import figures_table
from secondhop.evals.evidence_report import ALL, OURS, EvidenceReport
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from secondhop.cli.evidence_bench import EvidenceMeasured


def show_measured(measured: "EvidenceMeasured", console: "Console") -> None:
    """Print the reports, and the comparison when there is one."""
    show_evidence(measured.reports, console)
    if measured.comparison is not None:
        console.print()
        show_comparison(measured.comparison, console)


def show_evidence(reports: Sequence[EvidenceReport], console: "Console") -> None:
    """Print a table for each set."""
    for report in reports:
        console.print(recall_table(report))
        console.print(
            f"{counted(len(report.results), 'question')}, {report.mean_ms():.0f} ms each",
            style="dim",
        )
        console.print()
    console.print("Evidence found within so many tokens (of four characters): higher is better.")


def recall_table(report: EvidenceReport) -> "Table":
    """A row for each system, then a row for each type of question, as secondhop answers it."""
    from rich.text import Text

    table = figures_table(report.name, [f"{budget} tok" for budget in report.budgets])
    rows = report.means()
    for name, ids in report.types().items():
        if name != ALL:
            rows[f"{OURS}, {name} ({len(ids)})"] = report.mean(OURS, ids)
    for name, recalls in rows.items():
        style = "bold" if name == OURS else ""
        table.add_row(Text(name), *(f"{recalls[b]:.3f}" for b in report.budgets), style=style)
    return table
