"""An evaluation for people: one table a scenario, one of the means, and what stands beside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean
from secondhop.evals.measures import MEASURES, Measures, mean_of
from secondhop.evals.one_answer import DEPTH, ONE_ANSWER, over_all
from secondhop.evals.report import OURS, ScenarioReport, by_system, mean_of_scenarios
from secondhop.evals.side_figures import SIDE_FIGURES, SideFigures, side_figures

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
    "alpha_nDCG": "aNDCG",
    "ERR_IA": "ERRIA",
    "StRecall": "subt",
    "overlap": "overl",
    "jaccard": "jacc",
    "distance": "dist",
    "second_hop": "2nd-hop",
    "mrr": "MRR",
    "ndcg_10": "nDCG@10",
    "recall_10": "R@10",
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
    console.print()
    show_beside(reports, console)


def show_beside(reports: Sequence[ScenarioReport], console: "Console") -> None:
    """The field's own measures, and how different results are; means of the scenarios."""
    library = {
        name: mean_of(run.library_mean() for run in runs)
        for name, runs in by_system(reports).items()
    }
    if library.get(OURS):
        console.print(measures_table("ir-measures, at k", library, names=list(library[OURS])))
        console.print()
    if rows := over_all(report.one_answer for report in reports):
        console.print(measures_table(one_answer_title(reports), rows, names=ONE_ANSWER))
        console.print()
    console.print(side_table(side_figures(reports)))
    console.print(
        "overlap of two questions' results (shared / shorter list; Jaccard); cosine distance "
        "within a list; second hop: gold beyond the question's own 50 nearest that came back.",
        style="dim",
    )


def one_answer_title(reports: Sequence[ScenarioReport]) -> str:
    """How many questions have one answer, and how they were asked."""
    asked = sum(len(report.one_answer.get(OURS, {})) for report in reports)
    return f"questions with one answer: {asked}, asked for {DEPTH}"


def measures_table(
    title: str, rows: Mapping[str, Measures], *, names: Sequence[str] = MEASURES
) -> "Table":
    """One row a system or question."""
    table = figures_table(title, [HEADINGS.get(name, name) for name in names])
    for name, measures in rows.items():
        style = "bold" if name == OURS else ""
        table.add_row(clean(name), *(figure(measures.get(key)) for key in names), style=style)
    return table


def side_table(rows: Mapping[str, SideFigures]) -> "Table":
    """One row a system."""
    table = figures_table("results beside each other", [HEADINGS[name] for name in SIDE_FIGURES])
    for name, side in rows.items():
        hop = side.second_hop
        cells = [figure(side.overlap), figure(side.jaccard), figure(side.distance)]
        cells.append(f"{hop.memories_found}/{hop.memories}" if hop.memories else "-")
        table.add_row(clean(name), *cells, style="bold" if name == OURS else "")
    return table


def figures_table(title: str, headings: Sequence[str]) -> "Table":
    """A table with a title over its first column and numbers in the others."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(clean(title), style="bold"), overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def figure(value: float | None) -> str:
    """Three digits; "-" for what nobody knows."""
    return "-" if value is None else f"{value:.3f}"


def footnote(report: ScenarioReport) -> str:
    """How many questions, what each cost, and what the unanswerable ones got."""
    costs = report.costs()
    text = f"{len(report.questions)} questions, {costs.ms:.0f} ms each (p95 {costs.ms_p95:.0f})"
    if costs.llm_calls:
        text += f", {costs.llm_calls:.1f} calls, {costs.tokens:,.0f} tokens"
    if overlap := report.ours.overlap():
        text += f"; overlap of two questions {overlap.overlap:.2f}"
    if not report.no_answer:
        return text
    wrong, asked = report.wrongly_answered(), len(report.no_answer)
    return f"{text}; {wrong} of {asked} unanswerable ones were answered"
