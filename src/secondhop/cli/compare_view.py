"""Two runs of an evaluation, for people: who won each question, and what the second one missed."""

from typing import TYPE_CHECKING

from secondhop.cli.comparison_view import show_comparison
from secondhop.cli.terminal import clean, shorten
from secondhop.evals.compare_runs import ComparedQuestion, ComparedRuns, RecordedRun

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

STYLES = {"won": "green", "lost": "red", "tied": "dim"}

REASON_CHARS = 160
"""Of why a memory stayed out; `--json` has all of it."""


def show_compared(found: ComparedRuns, console: "Console") -> None:
    """Print a table of the questions, the measures, and what the second run missed."""
    console.print(f"first:  {told_of(found.first)}", soft_wrap=True)
    console.print(f"second: {told_of(found.second)}", soft_wrap=True)
    console.print()
    console.print(questions_table(found))
    verdicts = found.verdicts()
    console.print(
        f"{len(found.questions)} questions: {verdicts['won']} won, {verdicts['lost']} lost, "
        f"{verdicts['tied']} tied by the second",
        style="bold",
    )
    if found.alone:
        names = shorten(", ".join(found.alone), 200)
        console.print(f"asked in one run only, left out: {names}", style="yellow")
    console.print()
    show_comparison(found.comparison, console)
    show_missed(found, console)


def told_of(run: RecordedRun) -> str:
    """Its name, and what its mean recall cost."""
    calls, tokens = run.cost("llm_calls"), run.cost("tokens")
    if not calls or tokens is None:
        return clean(run.name)
    return f"{clean(run.name)}: {calls:.2f} calls, {tokens:,.0f} tokens a recall"


def questions_table(found: ComparedRuns) -> "Table":
    """One row a question, by scenario."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("question", overflow="fold")
    for heading in ("facets", "a-ndcg", "stale", "came", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found.questions:
        table.add_row(
            Text(clean(f"{one.scenario}/{one.question_id}")),
            moved(one, "facet_recall"),
            moved(one, "alpha_ndcg"),
            moved(one, "stale_rate"),
            str(len(one.came)),
            Text(one.verdict, style=STYLES[one.verdict]),
        )
    return table


def moved(question: ComparedQuestion, name: str) -> str:
    """A measure in both runs; once where it is the same."""
    before, after = (f"{side.get(name, 0.0):.2f}" for side in (question.first, question.second))
    return before if before == after else f"{before}→{after}"


def show_missed(found: ComparedRuns, console: "Console") -> None:
    """The facets that the second run did not serve, and what became of their memories."""
    from rich.padding import Padding

    missing = [one for one in found.questions if one.missed or one.degraded]
    if missing:
        console.print()
        console.print(f"what {clean(found.second.name)} missed", style="bold")
    for question in missing:
        console.print(clean(f"{question.scenario}/{question.question_id}"), style="bold")
        for reason in question.degraded:
            told = f"had to do without: {shorten(reason, REASON_CHARS)}"
            console.print(Padding(told, (0, 0, 0, 2), expand=False), style="yellow")
        for facet in question.missed:
            told = f"{shorten(facet.name, 60)} (hop {facet.hop})"
            console.print(Padding(told, (0, 0, 0, 2), expand=False), markup=False)
            for memory in facet.memories:
                told = f"{memory.memory_id} “{shorten(memory.title, 50)}”: "
                told += shorten(memory.reason, REASON_CHARS)
                console.print(Padding(clean(told), (0, 0, 0, 4), expand=False), style="dim")
