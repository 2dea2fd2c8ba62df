"""An evaluation for people: one table a scenario, and one of the means."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.report import ScenarioReport, mean_of_scenarios

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

HEADINGS = {
    "facet_recall": "facets",
    "essential_recall": "essent",
    "alpha_ndcg": "a-ndcg",
    "redundancy": "redund",
    "stale_rate": "stale",
    "precision": "precis",
}
"""Short enough for 60 columns."""


def show_reports(
    reports: Sequence[ScenarioReport], console: "Console", *, per_question: bool
) -> None:
    """Print every scenario's table, the mean of the scenarios, and what the columns mean."""
    for report in reports:
        if per_question:
            rows = report.questions
            console.print(measures_table(f"{report.name}, by question", rows))
            console.print()
        console.print(measures_table(report.name, report.means()))
        console.print(footnote(report), style="dim")
        console.print()
    if len(reports) > 1:
        console.print(measures_table("mean of the scenarios", mean_of_scenarios(reports)))
        console.print()
    console.print("facets served, essential memories, alpha-nDCG, precision: higher is better.")
    console.print("redundant, stale: lower is better. docs/evaluate.md defines them.")


def measures_table(title: str, rows: Mapping[str, Measures]) -> "Table":
    """One row a system or question."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(title, style="bold"), overflow="fold")
    for name in MEASURES:
        table.add_column(HEADINGS[name], justify="right", no_wrap=True)
    for name, measures in rows.items():
        style = "bold" if name == "secondhop" else ""
        table.add_row(Text(name), *(f"{measures[key]:.3f}" for key in MEASURES), style=style)
    return table


def footnote(report: ScenarioReport) -> str:
    """How many questions, how long each took, and what the unanswerable ones got."""
    text = f"{len(report.questions)} questions, {report.mean_ms():.0f} ms each"
    if not report.no_answer:
        return text
    wrong, asked = report.wrongly_answered(), len(report.no_answer)
    return f"{text}; {wrong} of {asked} unanswerable ones were answered"
