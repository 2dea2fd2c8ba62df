"""Tuned settings for people: what they were worth where tuning had not looked, then the verdict."""

from typing import TYPE_CHECKING

from secondhop.evals.comparison import LOWER_IS_BETTER, p_shown
from secondhop.evals.measures import MEASURES
from secondhop.evals.tuning import Tuning
from secondhop.evals.tuning_dials import changes_of
from secondhop.evals.tuning_scores import OBJECTIVE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def show_tuning(tuning: Tuning, console: "Console") -> None:
    """Print the held-out figures beside the defaults', the settings, and what to do."""
    names = ", ".join(fold.left_out for fold in tuning.table.folds)
    console.print(f"left out in turn: {names}", soft_wrap=True)
    if tuning.by_question:
        console.print(
            "one memory alone: its questions resemble each other, so the figures are hopeful",
            soft_wrap=True,
        )
    console.print()
    console.print(tuning_table(tuning))
    console.print()
    console.print(gain(tuning), soft_wrap=True)
    console.print()
    for name, value in changes_of(tuning.table.to_use).items():
        console.print(f"ranking.{name}: {value:g}")
    console.print(verdict(tuning), soft_wrap=True)


def tuning_table(tuning: Tuning) -> "Table":
    """One row a measure. The training figures are no result, and say so."""
    from rich.table import Table
    from rich.text import Text

    result, default = tuning.table.result(), tuning.table.default()
    training = tuning.table.training()
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("on what was left out", overflow="fold")
    for name in ("tuned", "defaults", "(training)"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in (OBJECTIVE, *MEASURES):
        label = f"{name} (lower is better)" if name in LOWER_IS_BETTER else name
        cells = (f"{result[name]:.3f}", f"{default[name]:.3f}", f"({training[name]:.3f})")
        table.add_row(Text(label), *cells, style="bold" if name == OBJECTIVE else "")
    return table


def gain(tuning: Tuning) -> str:
    """The difference that decides, and how sure it is."""
    one = tuning.gain
    return (
        f"objective: {one.interval.difference:+.3f} ({one.interval.low:+.3f} to "
        f"{one.interval.high:+.3f}), p {p_shown(one.p)}; better in {one.wins} questions, "
        f"the same in {one.ties}, worse in {one.losses}"
    )


def verdict(tuning: Tuning) -> str:
    """What to do with the settings."""
    if tuning.better:
        return "these settings are better than the defaults where tuning had not looked"
    if not tuning.table.to_use:
        return "keep the defaults: nothing that was tried is better, even in training"
    return "keep the defaults: on what was left out tuned settings are not surely better"
