"""Prints two systems side by side: differences, intervals, p-values."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from secondhop.cli.eval_view import HEADINGS, OFTEN_ZERO, figures_table, had_to_do_without
from secondhop.cli.terminal import clean, shorten
from secondhop.evals.comparison import (
    COSTS,
    DECIDING,
    SAME,
    Comparison,
    Difference,
    QuestionDifference,
    p_shown,
)
from secondhop.evals.report import ScenarioReport
from secondhop.evals.significance import FEW
from secondhop.wording import counted

SURE = 0.05
"""A smaller p is shown in bold."""


STYLES = {"won": "green", "lost": "red"}

CHANGED_SHOWN = 20
"""Most changed questions shown; `--json` has them all."""


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print one row per measure, and how many questions were won, lost and tied."""
    rows = [
        (HEADINGS.get(one.measure, one.measure), one)
        for one in comparison.differences
        if one.measure not in (*COSTS, *OFTEN_ZERO) or one.ours or one.theirs
    ]
    console.print(differences_table(f"against {comparison.against}", rows))
    asked = len(comparison.questions)
    console.print(
        f"{counted(asked, 'question')} asked of both; diff: ours minus "
        f"{clean(comparison.against)}, with its bootstrap interval; p: from the randomisation "
        f"test, bold below {SURE}. Among many measures, one falls below it by chance: choose "
        f"yours before you look.",
        style="dim",
    )
    if asked < FEW:
        console.print("So few questions say little: ask more to decide.", style="yellow")
    verdicts = ", ".join(f"{comparison.count(one)} {one}" for one in ("won", "lost", "tied"))
    console.print(f"{counted(asked, 'question')}: {verdicts}", style="bold")


def show_other_side(
    ours: Sequence[ScenarioReport], theirs: Sequence[ScenarioReport], console: Console
) -> None:
    """Print what the comparison lacks: unanswerable questions, and what the other side lacked."""
    if unanswerable := sum(len(one.no_answer) for one in theirs):
        before, after = (sum(one.wrongly_answered() for one in side) for side in (theirs, ours))
        console.print(f"unanswerable questions answered: {before} → {after} of {unanswerable}")
    for report in theirs:
        if told := had_to_do_without(report):
            console.print(f"theirs, {clean(report.name)}: {told}", style="yellow")


def show_changed(
    comparison: Comparison, reports: Iterable[ScenarioReport], console: Console
) -> None:
    """Print the questions that were lost or won, the lost ones first."""
    questions = {(one.name, asked.id): asked.query for one in reports for asked in one.asked}
    decided = [one for one in comparison.questions if one.verdict != "tied"]
    decided.sort(key=lambda one: one.verdict)
    for one in decided[:CHANGED_SHOWN]:
        show_question(one, questions[one.scenario, one.question_id], console)
    if len(decided) > CHANGED_SHOWN:
        console.print(f"and {len(decided) - CHANGED_SHOWN} more; --json lists all", style="dim")


def show_question(one: QuestionDifference, question: str, console: Console) -> None:
    """Print whose answer is better, by how much, and the memories that differ."""
    head = f"{one.verdict:5}{clean(one.scenario)}/{clean(one.question_id)}: "
    console.print(head + shorten(question, 200), style=STYLES[one.verdict])
    moved = {name: one.gains[name] for name in DECIDING if abs(one.gains.get(name, 0.0)) > SAME}
    lines = [
        ", ".join(f"{HEADINGS.get(name, name)} {signed(gain, 2)}" for name, gain in moved.items()),
        f"came: {clean(', '.join(one.came))}" if one.came else "",
        f"went: {clean(', '.join(one.went))}" if one.went else "",
    ]
    for line in filter(None, lines):
        console.print(f"     {line}")


def differences_table(title: str, rows: Iterable[tuple[str, Difference]]) -> Table:
    """One row per label: both systems, and their difference."""
    table = figures_table(title, ["ours", "theirs", "diff", "95 %", "p", "won", "lost"])
    for label, row in rows:
        digits = 0 if row.measure in {"ms", "tokens"} else 3
        span = row.interval
        table.add_row(
            clean(label),
            f"{row.ours:.{digits}f}",
            f"{row.theirs:.{digits}f}",
            signed(span.difference, digits),
            f"{signed(span.low, min(digits, 2))}..{signed(span.high, min(digits, 2))}",
            p_shown(row.p),
            str(row.wins),
            str(row.losses),
            style="bold" if row.p < SURE else "",
        )
    return table


def signed(number: float, digits: int) -> str:
    """The number with its sign, and never "-0.00".

    >>> signed(0.1234, 2), signed(-0.001, 2)
    ('+0.12', '+0.00')
    """
    return f"{round(number, digits) + 0.0:+.{digits}f}"
