"""A fitted scale for people: held-out figures first, then the reliability table."""

from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean
from secondhop.evals.calibrate import CalibrationReport
from secondhop.evals.calibrate_playbooks import LabelFreeScale
from secondhop.ranking.calibration import Calibration, LogisticCalibration

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def show_calibration(report: CalibrationReport, console: "Console") -> None:
    """Print what was fitted, and how fits like it do on what was left out."""
    console.print(
        f"{report.embedder_id}: {report.pairs} pairs of a query and a memory it brought, "
        f"{report.relevant} relevant; counted as {report.share:.0%}",
        soft_wrap=True,
    )
    console.print(left_out(report), soft_wrap=True)
    console.print()
    console.print(figures_table(report))
    console.print()
    console.print(reliability_table(report))
    console.print()
    console.print(described(report.calibration, of="fitted on all pairs"), soft_wrap=True)
    console.print(nearness_told(report), soft_wrap=True)


def nearness_told(report: CalibrationReport) -> str:
    """What hubs are corrected by, and in which memories it was measured."""
    if report.usual_nearness is None:
        return "no nearness to the playbooks' questions was measured, so it stays as it ships"
    rows = ", ".join(f"{clean(name)} {one:.3f}" for name, one in report.nearness.items())
    return (
        f"usual nearness of memories to the playbooks' questions: {report.usual_nearness:.3f} "
        f"({rows}); what is nearer is a hub, and yields"
    )


def left_out(report: CalibrationReport) -> str:
    """What the figures are of."""
    if report.by_question:
        return (
            f"one memory alone: its questions were left out in {len(report.folds)} parts; "
            f"they resemble each other, so the figures are hopeful"
        )
    return f"left out in turn: {', '.join(report.folds)}"


def figures_table(report: CalibrationReport) -> "Table":
    """One row a scale; lower is better."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("on what was left out", overflow="fold")
    for name in ("Brier", "log loss"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = {f"fitted, {report.method}": report.held_out, **report.beside}
    for place, (name, figures) in enumerate(rows.items()):
        cells = (f"{figures.brier:.4f}", f"{figures.log_loss:.4f}")
        table.add_row(Text(name), *cells, style="" if place else "bold")
    return table


def reliability_table(report: CalibrationReport) -> "Table":
    """Held-out pairs by what the fit said of them, beside what was the case."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("said", "pairs", "mean said", "relevant"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in report.held_out.reliability:
        table.add_row(
            f"{row.low:.1f}-{row.high:.1f}",
            str(row.pairs),
            f"{row.said:.2f}",
            f"{row.relevant:.2f}",
        )
    return table


def described(found: Calibration, *, of: str) -> str:
    """A calibration in words."""
    if not isinstance(found, LogisticCalibration):
        return f"{of}: {len(found.scores)} knots"
    half = -found.intercept / found.slope
    return (
        f"{of}: slope {found.slope:.2f}, intercept {found.intercept:.2f}; "
        f"one half at a cosine of {half:.3f}"
    )


def show_label_free(made: LabelFreeScale, console: "Console") -> None:
    """Print a scale that was made without labels, and that nothing is known of its worth."""
    console.print(
        f"{made.embedder_id}: the default model's calibration, laid over this model's cosines of "
        f"the playbooks",
        soft_wrap=True,
    )
    console.print(described(made.calibration, of="without labels"), soft_wrap=True)
    console.print("no labels, so no figures: name scenarios to see how right it is")
    if made.shipped_nearness is None:
        console.print(
            "hubs are not corrected with this scale: how near memories usually are to the "
            "playbooks' questions is measured on memories; name scenarios",
            soft_wrap=True,
        )
