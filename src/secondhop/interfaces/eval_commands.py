"""`secondhop eval …` and `secondhop demo`: recall on labelled questions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.errors import UsageError
from secondhop.interfaces.options import Common

if TYPE_CHECKING:
    from secondhop.evals.report import ScenarioReport
    from secondhop.evals.scenario import Scenario


def scenarios(
    common: Common,
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DIR...]", help="Scenario folders. [those of the checkout]"),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Embed all anew: slower, and the times are honest.")
    ] = False,
    per_question: Annotated[
        bool, typer.Option("--per-question", help="The measures of every question, too.")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(min=1, metavar="N", help="Questions at once; 1 keeps the times honest.")
    ] = 1,
) -> None:
    """Measure recall on labelled scenarios.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.interfaces.eval_view import show_reports
    from secondhop.interfaces.opening import run
    from secondhop.interfaces.terminal import print_json, screen

    found = load_scenarios(folders or shipped_scenarios())
    reports = run(measure_all(found, common, fresh=fresh, at_once=concurrency))
    if common.json:
        print_json({r.name: r.document(per_question=per_question) for r in reports})
    else:
        show_reports(reports, screen(), per_question=per_question)


def load_scenarios(folders: list[Path]) -> "list[Scenario]":
    """The scenarios of these folders.

    Raises:
        UsageError: one is no scenario, or two have the same name.
    """
    from secondhop.evals.scenario import load_scenario

    found = [load_scenario(folder) for folder in folders]
    names = [scenario.name for scenario in found]
    if len(set(names)) < len(names):
        raise UsageError("two scenario folders have the same name; measure them one at a time")
    return found


async def measure_all(
    found: "list[Scenario]", common: Common, *, fresh: bool, at_once: int = 1
) -> "list[ScenarioReport]":
    """One report a scenario, from a throwaway store unless one was named to keep."""
    from contextlib import ExitStack

    from secondhop.evals.scenarios import run_scenario, store_scenario
    from secondhop.interfaces.opening import kept_embeddings, opened, throwaway
    from secondhop.interfaces.progress import bars

    reports: list[ScenarioReport] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = None if fresh else stack.enter_context(kept_embeddings(common, "eval"))
        progress = stack.enter_context(bars())
        for scenario in found:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall, progress=progress)
                reports.append(
                    await run_scenario(scenario, recall, progress=progress, at_once=at_once)
                )
    return reports


def demo(
    common: Common,
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A scenario folder. [examples/scenarios/carefeed]"),
    ] = None,
) -> None:
    """Plain search and secondhop, side by side.

    Then the trace: how secondhop went about it.
    """
    from secondhop.evals.scenario import load_scenario
    from secondhop.evals.shipped import shipped_scenario
    from secondhop.interfaces.demo import compare
    from secondhop.interfaces.demo_view import comparison_document, show_comparison
    from secondhop.interfaces.opening import run
    from secondhop.interfaces.terminal import print_json, screen

    chosen = load_scenario(scenario or shipped_scenario("carefeed"))
    comparison = run(compare(chosen, common))
    if common.json:
        print_json(comparison_document(comparison))
    else:
        show_comparison(comparison, screen())
