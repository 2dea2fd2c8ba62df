"""`secondhop eval supersession`: how well replaced memories are found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.eval_options import ScenarioFolders
from secondhop.cli.options import Common

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.evals.scenario import Scenario
    from secondhop.evals.supersession import SupersessionReport


def supersession(
    common: Common,
    folders: ScenarioFolders = None,
) -> None:
    """Measure how well replaced memories are found.

    Precision and recall against the scenarios' stale memories, and recall before and after the
    detected ones are believed.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.shipped import shipped_scenarios

    reports = run(measured(load_scenarios(folders or shipped_scenarios()), common))
    if common.json:
        print_json({report.name: report.document() for report in reports})
    else:
        show(reports, screen())


async def measured(found: "Sequence[Scenario]", common: Common) -> "list[SupersessionReport]":
    """One report a scenario, from a throwaway store unless one was named to keep."""
    from contextlib import ExitStack

    from secondhop.cli.opening import kept_embeddings, opened, throwaway
    from secondhop.cli.progress import bars
    from secondhop.evals.supersession import measure_supersession

    reports: list[SupersessionReport] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common, "eval"))
        progress = stack.enter_context(bars())
        for scenario in found:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                reports.append(await measure_supersession(scenario, recall, progress=progress))
    return reports


def show(reports: "Sequence[SupersessionReport]", console: "Console") -> None:
    """A table: found, right and labelled; then stale and facet recall before and after."""
    from rich.table import Table

    from secondhop.evals.supersession import share

    table = Table("scenario", "precision", "recall", "right / found / labelled", "stale", "facets")
    right = sum(report.right for report in reports)
    detected = sum(report.detected for report in reports)
    labelled = sum(report.labelled for report in reports)
    for report in reports:
        table.add_row(
            report.name,
            f"{share(report.right, report.detected):.2f}",
            f"{share(report.right, report.labelled):.2f}",
            f"{report.right} / {report.detected} / {report.labelled}",
            change(report, "stale_rate"),
            change(report, "facet_recall"),
        )
    table.add_row(
        "all",
        f"{share(right, detected):.2f}",
        f"{share(right, labelled):.2f}",
        f"{right} / {detected} / {labelled}",
        "",
        "",
    )
    console.print(table)
    console.print("stale, facets: recall's means before and after the pairs are believed.")


def change(report: "SupersessionReport", name: str) -> str:
    """ "0.04 → 0.02"."""
    return f"{report.before[name]:.3f} → {report.after[name]:.3f}"
