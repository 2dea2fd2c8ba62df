"""Prints the demo: the answer, and what plain search would have missed."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from secondhop.cli.answer_view import show_answer
from secondhop.cli.demo import OURS, PLAIN, WITH_CUES, DemoAnswers, facets_served
from secondhop.cli.terminal import clean
from secondhop.cli.trace_tree import trace_tree
from secondhop.wording import counted

SHORT = {PLAIN: "plain", OURS: "secondhop", WITH_CUES: "with cues"}
"""Names for narrow columns, and for `--json`."""


AS_PAGE = "as a page: secondhop demo --html demo.html; yours: secondhop ingest ~/notes"
OWN_NOTES = "your own notes: secondhop ingest ~/notes, or on a page: secondhop ui"


def show_demo(demo: DemoAnswers, console: Console, *, trace: bool, written: bool = False) -> None:
    """Print secondhop's answer, and which labelled facets plain search and secondhop serve.

    `written`: the web page was written, so do not suggest it.
    """
    console.print(clean(demo.question.query), style="bold")
    show_answer(demo.result, console, brief=True)
    console.print()
    console.print(facets_table(demo))
    if WITH_CUES in demo.answers:
        told = "Cues: written beforehand by a large model, which saw no question."
        console.print(told, style="dim")
    if trace:
        console.print()
        console.print(trace_tree(demo.trace))
        console.print()
    console.print(OWN_NOTES if written else AS_PAGE, style="dim")


def facets_table(demo: DemoAnswers) -> Table:
    """A table of the labelled facets that each answer serves."""
    question, questions = demo.question, demo.scenario.questions
    served = [facets_served(question, ranked[0]) for ranked in demo.answers.values()]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what a good answer needs")
    for name in demo.answers:
        table.add_column(SHORT[name])
    for facet in question.facets:
        marks = (Text("yes", "green") if facet.name in own else "-" for own in served)
        table.add_row(Text(clean(facet.name)), *marks)
    total = len(question.facets)
    table.add_row("needs met", *(f"{len(own)} of {total}" for own in served), style="bold")
    total = sum(len(one.facets) for one in questions)
    counts = [f"{demo.of_all(who)} of {total}" for who in demo.answers]
    asked = counted(len(questions), "question")
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
