"""An evidence evaluation for people: a table of the systems a set, and one of the types."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.cli.comparison_view import differences_table, show_comparison
from secondhop.evals.evidence_comparison import EvidenceComparison, questions_in
from secondhop.evals.evidence_report import OURS, EvidenceReport, Recalls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from secondhop.cli.evidence_bench import EvidenceMeasured


def show_measured(measured: "EvidenceMeasured", console: "Console") -> None:
    """Print the reports, and the comparison when there is one."""
    show_evidence(measured.reports, console)
    if measured.comparison is not None:
        console.print()
        show_differences(measured.comparison, console)


def show_differences(comparison: EvidenceComparison, console: "Console") -> None:
    """Print what differs by type of question, and then of all."""
    for name, kinds in comparison.types.items():
        rows = (
            (f"{kind} ({questions_in(one)}) {row.measure.removeprefix('recall')}", row)
            for kind, one in kinds.items()
            for row in one.differences
        )
        console.print(differences_table(f"{name}, by type", rows))
        console.print()
    show_comparison(comparison.whole, console)


def show_evidence(reports: Sequence[EvidenceReport], console: "Console") -> None:
    """Print for every set what each system reaches, and secondhop by type of question."""
    for report in reports:
        console.print(recall_table(report.name, report.means(), report.budgets))
        console.print(
            f"{len(report.results)} questions, {report.mean_ms():.0f} ms each", style="dim"
        )
        console.print()
        if shares := report.newer_shares():
            console.print(newer_line(report, shares))
            console.print()
        by_type = {
            f"{name} ({len(ids)})": report.mean(OURS, ids) for name, ids in report.types().items()
        }
        console.print(recall_table(f"{OURS}, by type", by_type, report.budgets))
        console.print()
    console.print("Evidence found within so many tokens (of four characters): higher is better.")


def newer_line(report: EvidenceReport, shares: Mapping[str, float]) -> str:
    """How often the newer evidence of an update stands above the older."""
    told = ", ".join(f"{system} {share:.2f}" for system, share in shares.items())
    return f"newer above older, of {len(report.newer_first[OURS])} updates: {told}"


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
