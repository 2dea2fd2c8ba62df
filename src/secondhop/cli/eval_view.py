"""Prints an evaluation: a table for each scenario, and one with the means."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from secondhop.cli.advised import without_commands
from secondhop.cli.terminal import clean, shorten
from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.missed import MissedFacet
from secondhop.evals.report import OURS, ScenarioReport, mean_of_scenarios
from secondhop.evals.scenario import Question
from secondhop.wording import counted

HEADINGS = {
    "facet_recall": "facets",
    "essential_recall": "essent",
    "alpha_ndcg": "a-ndcg",
    "redundancy": "redund",
    "stale_rate": "stale",
    "precision": "precis",
}
"""Short enough for 60 columns."""

OFTEN_ZERO = ("redundancy", "stale_rate")
"""Measures that a table leaves out if they are zero in all of it."""


def show_reports(
    reports: Sequence[ScenarioReport], console: Console, *, per_question: bool
) -> None:
    """Print a table for each scenario, the mean of the scenarios, and what the columns mean."""
    for report in reports:
        rows = report.means()
        if per_question:
            rows |= {f"{OURS}, {name}": row for name, row in report.ours.questions.items()}
        console.print(measures_table(report.name, rows))
        console.print(footnote(report), style="dim")
        if told := had_to_do_without(report):
            console.print(told, style="yellow")
        for question in report.asked:
            show_missed(question, report.answers[question.id].missed, console)
        console.print()
    if len(reports) > 1:
        console.print(measures_table("mean of the scenarios", mean_of_scenarios(reports)))
        console.print()
    console.print("facets served, essential memories, alpha-nDCG, precision: higher is better;")
    console.print("redundant, stale (not shown if zero): lower. docs/evaluate.md defines them.")


def show_missed(question: Question, missed: Sequence[MissedFacet], console: Console) -> None:
    """Print the facets that a question missed, and why their memories were not returned.

    Commands are left out, because the store may be a temporary one.
    """
    if missed:
        console.print(f"{clean(question.id)}: {shorten(question.query, 200)}")
    for facet in missed:
        console.print(f"   missed: {clean(facet.name)} (hop {facet.hop})", style="yellow")
        for one in facet.memories:
            title = shorten(one.title, 80)
            console.print(f"      {title} [{clean(one.memory_id)}], grade {one.grade}")
            change = without_commands(one.nearest_change)
            told = f"{clean(one.reason)} What would let it in: {clean(change)}"
            console.print(f"      {told}", style="dim")


def measures_table(title: str, rows: Mapping[str, Measures]) -> Table:
    """One row per system or question."""
    keys = [
        key
        for key in MEASURES
        if key not in OFTEN_ZERO or any(measures.get(key) for measures in rows.values())
    ]
    table = figures_table(title, [HEADINGS.get(key, key) for key in keys])
    for name, measures in rows.items():
        style = "bold" if name == OURS else ""
        table.add_row(clean(name), *(figure(measures.get(key)) for key in keys), style=style)
    return table


def figures_table(title: str, headings: Sequence[str]) -> Table:
    """A table with a title over its first column and numbers in the others."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(clean(title), style="bold"), overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def figure(value: float | None) -> str:
    """Three decimals; "-" if it was not measured."""
    return "-" if value is None else f"{value:.3f}"


def footnote(report: ScenarioReport) -> str:
    """The number of questions, the cost of each, and how many unanswerable ones were answered."""
    costs = report.costs()
    questions = counted(len(report.asked), "question")
    text = f"{questions}, {costs.ms:.0f} ms each (p95 {costs.ms_p95:.0f})"
    if costs.llm_calls:
        text += f", {costs.llm_calls:.1f} calls, {costs.tokens:,.0f} tokens"
    if not report.no_answer:
        return text
    wrong, asked = report.wrongly_answered(), len(report.no_answer)
    return f"{text}; {wrong} of {asked} unanswerable ones were answered"


def had_to_do_without(report: ScenarioReport) -> str:
    """ "3 recalls were degraded: the planner timed out"; "" if none was degraded."""
    reasons = [why[0] for why in report.degraded().values()]
    if not reasons:
        return ""
    recalls = counted(len(reasons), "recall was", "recalls were")
    return clean(f"{recalls} degraded: {reasons[0]}")
