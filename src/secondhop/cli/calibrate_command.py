"""`secondhop eval calibrate`: fit the scale of an embedding model's cosines."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from secondhop.cli.eval_commands import ScenarioFolders, load_scenarios
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.work import tell
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.evals.calibrate import FittedScale
    from secondhop.evals.scenario import Scenario


def calibrate(common: Common, folders: ScenarioFolders = None) -> None:
    """Fit the scale of an embedding model's cosines.

    With --json it prints a file for --scale. Test it on scenarios that it was not fitted on.
    """
    from secondhop.cli.opening import run
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_scipy

    expect_scipy()
    scenarios = load_scenarios(folders or shipped_scenarios())
    scale = run(fit_scale(scenarios, common))
    tell(common, scale.document(), lambda console: show_scale(scale, console))


async def fit_scale(scenarios: "Sequence[Scenario]", common: Common) -> "FittedScale":
    """Store the scenarios, ask their questions, and fit the scale."""

    from secondhop.cli.opening import kept_embeddings, opened, throwaway
    from secondhop.evals.calibrate import Pair, fitted_scale, pairs_of
    from secondhop.evals.scenarios import store_scenario
    from secondhop.nodes.selection.scale import scale_of

    pairs: list[Pair] = []
    with ExitStack() as stack:
        embedder = stack.enter_context(kept_embeddings(common))
        progress = stack.enter_context(bars())
        place = stack.enter_context(throwaway(common))
        scale = scale_of(embedder.model_id)  # the shipped scale, also if --scale names another
        for scenario in scenarios:
            async with opened(
                place, entity=scenario.name, embedder=embedder, counting=True, scale=scale
            ) as recall:
                await store_scenario(scenario, recall, progress=progress)
                pairs += await pairs_of(
                    scenario.questions, search=recall.admin.store, embedder=embedder
                )
    names = [scenario.name for scenario in scenarios]
    return fitted_scale(pairs, embedder_id=embedder.model_id, scenarios=names)


def show_scale(scale: "FittedScale", console: "Console") -> None:
    """Print what it was fitted on, and the curve."""
    found = scale.calibration
    console.print(
        f"{scale.embedder_id}: {counted(scale.pairs, 'pair')} of a query and a memory that it "
        f"found, {scale.relevant} essential",
        soft_wrap=True,
    )
    console.print(
        f"slope {found.slope:.2f}, intercept {found.intercept:.2f}; "
        f"one half at a cosine of {-found.intercept / found.slope:.3f}",
        soft_wrap=True,
    )
