"""Runs measured with TREC judgements, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.comparison_view import show_comparison
from secondhop.cli.eval_view import HEADINGS, figure, figures_table
from secondhop.cli.terminal import clean
from secondhop.evals.comparison import Comparison
from secondhop.evals.costs import Costs
from secondhop.evals.judged_run import JudgedRun

if TYPE_CHECKING:
    from rich.console import Console


def show_runs(runs: Sequence[JudgedRun], console: "Console") -> None:
    """Print one row a run: means over the judged questions."""
    names = list(runs[0].mean())
    table = figures_table(f"{len(runs[0].questions)} questions", [heading(n) for n in names])
    for run in runs:
        mean = run.mean()
        table.add_row(clean(run.name), *(figure(mean.get(name)) for name in names))
    console.print(table)
    for run in runs:
        if missing := len(run.unanswered()):
            told = f"{clean(run.name)} has nothing for {missing} judged questions; they count 0"
            console.print(told, style="yellow")
    console.print()


def heading(label: str) -> str:
    """A measure's name, short.

    >>> heading("alpha_nDCG@10"), heading("P@10")
    ('aNDCG@10', 'P@10')
    """
    name, at, depth = label.partition("@")
    return f"{HEADINGS.get(name, name)}{at}{depth}"


def show_comparisons(
    comparisons: Sequence[tuple[JudgedRun, Comparison]], console: "Console"
) -> None:
    """Print each run against another."""
    for run, comparison in comparisons:
        console.print(f"ours: {clean(run.name)}", style="bold")
        show_comparison(comparison, console)
        console.print()


def show_costs(costs: Costs, console: "Console") -> None:
    """Print what the recalls cost."""
    told = f"{costs.ms:.0f} ms a recall (p95 {costs.ms_p95:.0f})"
    if costs.llm_calls:
        told += f", {costs.llm_calls:.1f} calls, {costs.tokens:,.0f} tokens"
    console.print(told, style="dim")
