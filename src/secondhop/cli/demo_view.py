"""Prints the demo: one answer, and how much of what is needed each way of asking finds."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from secondhop.cli.answer_view import show_answer
from secondhop.cli.demo import OURS, PLAIN, WITH_CUES, DemoAnswers, facets_served
from secondhop.cli.terminal import clean
from secondhop.cli.trace_tree import trace_tree
from secondhop.wording import beginning, counted

SHORT = {PLAIN: "plain", OURS: "secondhop", WITH_CUES: "with cues"}
"""Names for narrow columns, and for `--json`."""


QUESTION_CHARS = 44
"""How much of a question the table shows."""

AS_PAGE = "as a page: secondhop demo --html demo.html; yours: secondhop ingest ~/notes"
OWN_NOTES = "your own notes: secondhop ingest ~/notes, or on a page: secondhop ui"


def show_demo(demo: DemoAnswers, console: Console, *, trace: bool, written: bool = False) -> None:
    """Print secondhop's answer to the first question, and how many of the labelled facets of every
    question plain search and secondhop serve.

    `written`: the web page was written, so do not suggest it.
    """
    console.print(clean(demo.question.query), style="bold")
    show_answer(demo.result, console, brief=True)
    console.print()
    console.print(needs_table(demo))
    if WITH_CUES in demo.answers:
        told = "Cues: written beforehand by a large model, which saw no question."
        console.print(told, style="dim")
    if trace:
        console.print()
        console.print(trace_tree(demo.trace))
        console.print()
    console.print(OWN_NOTES if written else AS_PAGE, style="dim")


def needs_table(demo: DemoAnswers) -> Table:
    """A table of the questions: how many of the labelled facets each answer serves."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("needs that the answer meets")
    for name in demo.answers:
        table.add_column(SHORT[name])
    for place, question in enumerate(demo.scenario.questions):
        met = [len(facets_served(question, ranked[place])) for ranked in demo.answers.values()]
        total = len(question.facets)
        asked = beginning(clean(question.query), QUESTION_CHARS)
        table.add_row(Text(asked), *(f"{count} of {total}" for count in met))
    total = sum(len(one.facets) for one in demo.scenario.questions)
    counts = [f"{demo.of_all(who)} of {total}" for who in demo.answers]
    asked = counted(len(demo.scenario.questions), "question")
    table.add_row(f"over all {asked}", *counts, style="bold")
    return table


def demo_document(demo: DemoAnswers) -> dict[str, Any]:
    """For `--json`: the first question, and the facets that each memory of each answer serves."""
    question = demo.question
    return {
        "question": question.query,
        "facets": [facet.name for facet in question.facets],
        "answers": {
            SHORT[who]: {one: facets_served(question, [one]) for one in answers[0]}
            for who, answers in demo.answers.items()
        },
        "facets_of_all_questions": {SHORT[who]: demo.of_all(who) for who in demo.answers},
        "trace_id": demo.result.trace_id,
    }
