"""`secondhop eval briefing`: does being shown breed being shown?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, given_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from secondhop.evals.briefing_loop import LoopReport


def briefing(
    common: Common,
    sessions: Annotated[int, typer.Option(min=20, metavar="N", help="One a day.")] = 200,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="For the simulated life.")] = 0,
    svg: Annotated[
        Path | None, typer.Option(parser=given_path, metavar="FILE", help="Draw it there.")
    ] = None,
) -> None:
    """Simulate sessions, and see whether what is shown keeps being shown.

    The formula of the reference audit and ours side by side; needs no store.
    """
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.briefing_loop import simulated
    from secondhop.evals.briefing_plot import loop_plot

    reports = run(simulated(sessions, seed=seed))
    if svg is not None:
        svg.write_text(loop_plot(reports), encoding="utf-8")
    if common.json:
        print_json({report.name: report.document() for report in reports})
    else:
        show(reports, screen())


def show(reports: "Sequence[LoopReport]", console: "Console") -> None:
    """One row a way of choosing."""
    from rich.table import Table

    table = Table("sessions of the second half", "incumbents", "found", "age, days")
    for report in reports:
        means = report.means()
        figures = [f"{means[name]:.2f}" for name in ("incumbents", "found")]
        table.add_row(report.name, *figures, f"{means['age_days']:.0f}")
    console.print(table)
    console.print("incumbents: slots of memories that were shown 30 times before.")
    console.print("found: of what the session needed. docs/briefing.md says who needs what.")
