"""What learning has made of recall, for people: one table a kind of user."""

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from secondhop.evals.learning_report import MEASURE, TIMES, LearningRun, When, over_all

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

TITLES = {
    "labels": "A user who votes by the labels",
    "random": "A user who votes at random",
    "against": "A user who votes against the labels",
}

COLUMNS = ("before", "after", "ratio", "lower", "others", "ratio", "same", "rounds", "then")

LEGEND = """\
alpha-nDCG of recalls in a question's own words: before; after sessions in other
words of it; with only the other half of the questions learned (same: answers
left as they were). lower: questions made worse by their own sessions. rounds:
answers until the user is content, before and then. docs/learning.md says how."""


def show_learning(runs: Sequence[LearningRun], console: "Console") -> None:
    """Print one table a kind of user; then what the columns mean."""
    for user in dict.fromkeys(run.user for run in runs):
        console.print(TITLES[user], style="bold")
        console.print(learning_table([run for run in runs if run.user == user]))
        console.print()
    console.print(LEGEND)


def learning_table(runs: Sequence[LearningRun]) -> "Table":
    """One row a scenario, then their mean."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", overflow="fold")
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for run in runs:
        table.add_row(Text(run.name), *cells([run]))
    if len(runs) > 1:
        table.add_row("mean", *cells(runs), style="bold")
    return table


def cells(runs: Sequence[LearningRun]) -> list[str]:
    """The numbers of a row: the means of the scenarios'."""
    before, after, others = (quality(runs, when) for when in TIMES)
    lowered = sum(len(run.lowered()) for run in runs)
    asked = sum(len(run.questions) for run in runs)
    rounds = (
        over_all(runs, lambda run: run.rounds("before")),
        over_all(runs, lambda run: run.rounds("after")),
    )
    return [
        f"{before:.3f}",
        f"{after:.3f}",
        f"{after / before:.2f}" if before else "",
        f"{lowered}/{asked}",
        f"{others:.3f}",
        f"{others / before:.3f}" if before else "",
        f"{over_all(runs, LearningRun.same):.0%}",
        *("" if isnan(value) else f"{value:.2f}" for value in rounds),
    ]


def quality(runs: Sequence[LearningRun], when: When) -> float:
    """The measure that counts, at one of the three times."""
    return over_all(runs, lambda run: run.mean(when)[MEASURE])
