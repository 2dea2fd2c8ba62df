"""`secondhop eval sessions`: what votes make of an answer."""

from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import ScenarioFolders
from secondhop.cli.options import Common

if TYPE_CHECKING:
    from secondhop.evals.scenario import Scenario
    from secondhop.evals.session_report import SessionReport


def sessions(
    common: Common,
    folders: ScenarioFolders = None,
    votes: Annotated[int, typer.Option(min=1, max=9, metavar="N", help="Rounds of votes.")] = 2,
    noise: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="SHARE", help="Share of votes drawn at random."),
    ] = 0.0,
    seed: Annotated[int, typer.Option(metavar="N", help="For the drawn votes.")] = 0,
) -> None:
    """Measure sessions with a simulated user who votes by the labels.

    Beside it stand the next page of the same list, and the textbook's vector formula.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.session_eval_view import show_sessions
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.shipped import shipped_scenarios

    found = load_scenarios(folders or shipped_scenarios())
    reports = run(measure_sessions(found, common, votes=votes, noise=noise, seed=seed))
    if common.json:
        print_json({report.name: report.document() for report in reports})
    else:
        show_sessions(reports, screen())


async def measure_sessions(
    found: "list[Scenario]", common: Common, *, votes: int, noise: float, seed: int
) -> "list[SessionReport]":
    """One report a scenario, from a throwaway store unless one was named to keep."""
    from contextlib import ExitStack

    from secondhop.cli.opening import kept_embeddings, opened, throwaway
    from secondhop.cli.progress import bars
    from secondhop.evals.scenarios import store_scenario
    from secondhop.evals.sessions import run_sessions

    reports: list[SessionReport] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common, "eval"))
        progress = stack.enter_context(bars())
        for scenario in found:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall, progress=progress)
                reports.append(
                    await run_sessions(
                        scenario, recall, votes=votes, noise=noise, seed=seed, progress=progress
                    )
                )
    return reports
