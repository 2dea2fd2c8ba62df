"""`secondhop eval calibrate`: fit what an embedding model's cosines mean."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import Out, ScenarioFolders
from secondhop.cli.options import Common
from secondhop.cli.work import tell
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.evals.calibrate import CalibrationReport
    from secondhop.evals.scenario import Scenario
    from secondhop.ranking.calibration import Calibration


def calibrate(
    common: Common,
    folders: ScenarioFolders = None,
    grade: Annotated[
        int, typer.Option(min=1, metavar="N", help="From which grade on a memory is relevant.")
    ] = 1,
    out: Out = None,
) -> None:
    """Fit what an embedding model's cosines mean.

    Writes a file for --scale. The figures are of questions that were left out of the fit.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.writing import expect_writable, write_yaml
    from secondhop.evals.shipped import shipped_scenarios

    expect_writable([out])
    scenarios = load_scenarios(folders or shipped_scenarios())
    report = run(fit_scale(scenarios, common, relevant_from=grade))
    tell(common, report.document(), lambda console: show_calibration(report, console))
    if out is not None:
        note = "written by `secondhop eval calibrate`; use it with --scale"
        write_yaml(out, report.file(), note=note)


async def fit_scale(
    scenarios: "Sequence[Scenario]", common: Common, *, relevant_from: int
) -> "CalibrationReport":
    """Store, ask and fit.

    Raises:
        UsageError: nothing can be left out, the labels are all alike, or they do not fit.
    """
    from contextlib import ExitStack

    from secondhop.assembly import scale_of
    from secondhop.cli.eval_bench import CACHE
    from secondhop.cli.opening import kept_embeddings, opened, throwaway
    from secondhop.cli.progress import bars
    from secondhop.errors import UsageError
    from secondhop.evals.calibrate import calibrated
    from secondhop.evals.calibrate_pairs import Pair, pairs_of, scenario_queries
    from secondhop.evals.scenarios import store_scenario

    pairs: list[Pair] = []
    with ExitStack() as stack:
        embedder = stack.enter_context(kept_embeddings(common, CACHE))
        progress = stack.enter_context(bars())
        place = stack.enter_context(throwaway(common))
        scale = scale_of(embedder.model_id)  # the one that ships: what is measured makes scales
        for scenario in scenarios:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True, scale=scale
            ) as recall:
                await store_scenario(scenario, recall, progress=progress)
                pairs += await pairs_of(
                    list(scenario_queries(scenario)),
                    search=recall.store,
                    embedder=embedder,
                    relevant_from=relevant_from,
                )
    if not pairs:
        raise UsageError("no question brought a memory; check the scenarios")
    known = shipped_for(embedder.model_id, asked=[pair.group for pair in pairs])
    return calibrated(pairs, embedder_id=embedder.model_id, known=known)


def shipped_for(model_id: str, *, asked: Collection[str]) -> "Mapping[str, Calibration]":
    """The scale that is used without a fit; its name says whether it was fitted on these labels."""
    from secondhop.assembly import UNKNOWN_MODEL, scale_of

    shipped = scale_of(model_id)
    name = "guessed for unknown models" if shipped is UNKNOWN_MODEL else "as shipped"
    if not set(shipped.fitted_on).isdisjoint(asked):
        name += ", fitted on these"
    return {name: shipped.calibration}


def show_calibration(report: "CalibrationReport", console: "Console") -> None:
    """Print how fits like it do on what was left out, then what was fitted."""
    from secondhop.cli.eval_view import figures_table
    from secondhop.cli.terminal import clean

    console.print(
        f"{report.embedder_id}: {counted(report.pairs, 'pair')} of a query and a memory that it "
        f"brought, {report.relevant} relevant",
        soft_wrap=True,
    )
    console.print(f"left out in turn: {clean(', '.join(report.folds))}", soft_wrap=True)
    if report.by_question:
        console.print("the questions share one memory, so these figures are optimistic")
    console.print()
    table = figures_table("on what was left out", ["Brier", "log loss"])
    for name, figures in {"fitted": report.held_out, **report.beside}.items():
        table.add_row(name, f"{figures.brier:.4f}", f"{figures.log_loss:.4f}")
    console.print(table)
    console.print("lower is better", style="dim")
    console.print()
    found = report.calibration
    half = -found.intercept / found.slope
    console.print(
        f"fitted on all pairs: slope {found.slope:.2f}, intercept {found.intercept:.2f}; "
        f"one half at a cosine of {half:.3f}",
        soft_wrap=True,
    )
