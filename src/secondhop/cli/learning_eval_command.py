"""`secondhop eval learning`: what resolved sessions make of later recalls."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import ScenarioFolders
from secondhop.cli.options import Common

if TYPE_CHECKING:
    from secondhop.evals.learning import LearningTrial
    from secondhop.evals.learning_report import LearningRun


def learning(
    common: Common,
    folders: ScenarioFolders = None,
    sessions: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="Sessions a question.")
    ] = 4,
    noise: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="SHARE", help="Share of votes drawn at random."),
    ] = 0.1,
    poisoned: Annotated[
        bool,
        typer.Option("--poisoned", help="Also users who vote at random, and against the labels."),
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="For the drawn votes.")] = 0,
) -> None:
    """Measure what learning from sessions brings, and what it does to other questions.

    Half of the questions are asked in sessions, in other words than their own; then all are
    recalled in their own words.
    """
    from secondhop.cli.learning_eval_view import show_learning
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.learning import USERS, LearningTrial
    from secondhop.evals.shipped import shipped_scenarios

    trials = [
        LearningTrial(user=user, sessions=sessions, noise=noise, seed=seed, rounds=user == "labels")
        for user in (USERS if poisoned else USERS[:1])
    ]
    runs = run(measure_learning(folders or shipped_scenarios(), common, trials=trials))
    if common.json:
        names = dict.fromkeys(one.name for one in runs)
        print_json({n: {r.user: r.document() for r in runs if r.name == n} for n in names})
    else:
        show_learning(runs, screen())


async def measure_learning(
    folders: list[Path], common: Common, *, trials: "list[LearningTrial]"
) -> "list[LearningRun]":
    """One run a scenario and user, from a throwaway store unless one was named to keep."""
    from contextlib import ExitStack

    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import kept_embeddings, opened, throwaway
    from secondhop.cli.progress import bars
    from secondhop.evals.learning import run_learning
    from secondhop.evals.rewordings import load_rewordings
    from secondhop.evals.scenarios import store_scenario

    found = load_scenarios(folders)
    wordings = [load_rewordings(*one) for one in zip(folders, found, strict=True)]
    runs: list[LearningRun] = []
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common, "eval"))
        progress = stack.enter_context(bars())
        for scenario, words in zip(found, wordings, strict=True):
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True
            ) as recall:
                await store_scenario(scenario, recall, progress=progress)
                for trial in trials:
                    runs.append(
                        await run_learning(
                            scenario, recall, wordings=words, trial=trial, progress=progress
                        )
                    )
    return runs
