"""`secondhop prompts eval`: two variants of a prompt on the same questions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from secondhop.cli.options import Common, given_path
from secondhop.errors import ModelError, UsageError

if TYPE_CHECKING:
    from secondhop.cli.trial_bench import TrialPlan
    from secondhop.evals.trial_report import TrialReport

POLL_S = 0.25
"""Between two looks at a watched file."""

Stamp: TypeAlias = tuple[int, int] | None
"""When a file was last written, in ns, and its size; None when there is none."""


def try_variant(
    common: Common,
    variant: Annotated[
        Path,
        typer.Option(parser=given_path, metavar="FILE", help="The prompt to try."),
    ],
    against: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="[the prompt in force]"),
    ] = None,
    scenarios: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR...", help="Scenario folders. [those of the checkout]"),
    ] = None,
    more: Annotated[list[Path] | None, typer.Argument(metavar="[DIR...]", hidden=True)] = None,
    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Questions at once.")] = 4,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The first N questions of each folder.")
    ] = None,
    sample: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Memories of each folder that `annotate` writes for."
        ),
    ] = 40,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask the model everything again.")] = False,
    answers: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE|DIR",
            help="Where the model's answers are kept. [your cache folder]",
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again whenever a file is saved, until Ctrl-C.")
    ] = False,
) -> None:
    """Try a variant of a prompt: is it better, and where?

    Both variants answer the same questions. What the model was asked before, word for word, comes
    from a cache.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import named_llm, prompts_in_force, run
    from secondhop.cli.trial_bench import TrialPlan, prompt_pair
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_statistics

    expect_statistics()
    if watch and common.json:
        raise UsageError("--json prints one document, --watch has no end; give one of them")
    if fresh and answers is not None:
        raise UsageError("--fresh uses no kept answers, --answers says where they are; give one")
    named_llm(common)
    folders = [*(scenarios or []), *(more or [])] or shipped_scenarios()
    plan = TrialPlan(
        variant=variant,
        against=against,
        scenarios=load_scenarios(folders),
        at_once=concurrency,
        limit=limit,
        fresh=fresh,
        sample=sample,
        answers=answers,
    )
    if watch:
        run(run_again(plan, common))
    else:
        prompt_pair(plan, prompts_in_force(common))
        run(run_once(plan, common))


async def run_once(plan: "TrialPlan", common: Common) -> None:
    """One trial."""
    from secondhop.cli.trial_bench import bench_of

    async with bench_of(plan, common) as bench:
        show(await bench.run(), common)


async def run_again(plan: "TrialPlan", common: Common) -> None:
    """A trial now and after every save; a faulty file is named, and the next save awaited."""
    from secondhop.cli.terminal import clean, notices
    from secondhop.cli.trial_bench import bench_of
    from secondhop.prompts.prompt_text import PromptError

    files = plan.files()
    names = " and ".join(clean(str(file)) for file in files)
    async with bench_of(plan, common) as bench:
        while True:
            seen = stamps(files)
            try:
                show(await bench.run(), common)
            except (PromptError, UsageError, ModelError) as error:
                notices().print(clean(str(error)), style="red", soft_wrap=True)
            notices().print(f"watching {names}; Ctrl-C ends it", style="dim", soft_wrap=True)
            await saved(files, since=seen)


def show(report: "TrialReport", common: Common) -> None:
    """Print a report."""
    from secondhop.cli.terminal import print_json, screen
    from secondhop.cli.trial_view import show_trial

    if common.json:
        print_json(report.document())
    else:
        show_trial(report, screen())


def stamps(files: Sequence[Path]) -> list[Stamp]:
    """What tells whether the files were saved."""
    return [stamp(file) for file in files]


def stamp(file: Path) -> Stamp:
    """What tells whether a file was saved."""
    try:
        found = file.stat()
    except OSError:  # editors put a new file in the place of the old one
        return None
    return found.st_mtime_ns, found.st_size


async def saved(files: Sequence[Path], *, since: list[Stamp]) -> None:
    """Returns when a file is not what it was, and all of them are there."""
    import asyncio

    while (now := stamps(files)) == since or None in now:  # noqa: ASYNC110 - files tell nobody
        await asyncio.sleep(POLL_S)
