"""`secondhop prompts eval`: two variants of a prompt on the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.options import Common, given_path
from secondhop.cli.work import tell
from secondhop.errors import ModelError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.evals.comparison import Comparison
    from secondhop.evals.report import ScenarioReport
    from secondhop.evals.scenario import Scenario
    from secondhop.evals.scenarios import Asking
    from secondhop.prompts.templates import Prompt

SIDES = ("against", "variant")


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
    answers: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE|DIR",
            help="Where the model's answers are kept. [your cache folder]",
        ),
    ] = None,
) -> None:
    """Try a variant of a prompt: is it better, and where?

    Both variants answer the same questions, as in `eval scenarios`. What the model was asked
    before, word for word, comes from a cache.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.kept_answers import usual_answers
    from secondhop.cli.opening import named_llm, prompts_in_force, run
    from secondhop.evals.samples import first_questions, sampled
    from secondhop.evals.scenarios import Asking
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_statistics

    expect_statistics()
    named_llm(common)
    folders = [*(scenarios or []), *(more or [])] or shipped_scenarios()
    asked = [first_questions(one, limit) for one in load_scenarios(folders)]
    in_force = prompts_in_force(common)
    prompts = prompt_pair(variant, against, in_force)
    writes_cues = prompts[0].name == "annotate"
    if writes_cues:  # an empty memory for each of the two
        common = replace(common, store=None, chroma="")
        asked = [sampled(one, memories=sample) for one in asked]
    asking = Asking(at_once=concurrency, baselines=False, effort="none" if writes_cues else "high")
    against_reports, variant_reports = (
        run(
            measured_with(
                {**in_force, one.name: one},
                common,
                scenarios=asked,
                asking=asking,
                answers=answers or usual_answers(),
                annotate=writes_cues,
            )
        )
        for one in prompts
    )
    trial = Trial(prompts=prompts, reports=(against_reports, variant_reports))
    tell(common, trial.document(), lambda console: show_trial(trial, console))


def prompt_pair(
    variant: Path, against: Path | None, in_force: "Mapping[str, Prompt]"
) -> "tuple[Prompt, Prompt]":
    """(against, variant), read from their files.

    Raises:
        PromptError: a file is faulty, or no recall uses the prompt.
        UsageError: the two replace different prompts.
    """
    from secondhop.prompts.templates import TRIED_PROMPTS, recall_replacement

    tried = recall_replacement(variant, among=TRIED_PROMPTS)
    other = recall_replacement(against, among=TRIED_PROMPTS) if against else in_force[tried.name]
    if other.name != tried.name:
        raise UsageError(
            f"{tried.path} replaces the prompt {tried.name}, {other.path} the prompt "
            f"{other.name}; compare two variants of one prompt"
        )
    return other, tried


async def measured_with(
    prompts: "Mapping[str, Prompt]",
    common: Common,
    *,
    scenarios: "Sequence[Scenario]",
    asking: "Asking",
    answers: Path,
    annotate: bool,
) -> "list[ScenarioReport]":
    """Every question with these prompts; of `annotate`, with the cues that it writes.

    Raises:
        ModelError: the model never answered, so there is nothing to compare.
    """
    from secondhop.cli.eval_bench import eval_bench
    from secondhop.cli.opening import settings_of
    from secondhop.settings import load_settings

    settings = settings_of(common, load_settings())
    async with eval_bench(common, answers=answers, annotate=annotate) as bench:
        reports = [
            await bench.run(one, settings=settings, asking=asking, prompts=prompts)
            for one in scenarios
        ]
        assert bench.model is not None  # named_llm
        counts = bench.model.counts
    reasons = [why for one in reports for answer in one.answers.values() for why in answer.degraded]
    if reasons and counts.from_cache + counts.asked == counts.failed:
        raise ModelError(f"the model never answered, there is nothing to compare: {reasons[0]}")
    return reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Both prompts, and what was measured with each: the one against, then the variant."""

    prompts: "tuple[Prompt, Prompt]"
    reports: "tuple[Sequence[ScenarioReport], Sequence[ScenarioReport]]"

    def comparison(self) -> "Comparison":
        """The variant against the other."""
        from secondhop.cli.eval_bench import with_costs
        from secondhop.evals.comparison import compared
        from secondhop.evals.measures import MEASURES

        against, variant = (
            {one.name: with_costs(one, timed=False) for one in side} for side in self.reports
        )
        return compared(self.prompts[0].label, variant, against, first=MEASURES)

    def unanswerable(self) -> int:
        """Questions that nothing answers."""
        return sum(len(one.no_answer) for one in self.reports[0])

    def wrongly_answered(self) -> list[int]:
        """How many of them each side answered."""
        return [sum(one.wrongly_answered() for one in side) for side in self.reports]

    def degraded(self) -> list[list[str]]:
        """Of each side, why a recall had to do without something, one a recall."""
        return [
            [
                answer.degraded[0]
                for one in side
                for answer in one.answers.values()
                if answer.degraded
            ]
            for side in self.reports
        ]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        from secondhop.cli.prompt_view import prompt_document

        return {
            **self.comparison().document(),
            **{side: prompt_document(one) for side, one in zip(SIDES, self.prompts, strict=True)},
            "no_answer": {
                "questions": self.unanswerable(),
                **dict(zip(SIDES, self.wrongly_answered(), strict=True)),
            },
            "degraded": dict(zip(SIDES, map(len, self.degraded()), strict=True)),
        }


def show_trial(trial: Trial, console: "Console") -> None:
    """Print who was compared, the measures, and every question that was won or lost."""
    from secondhop.cli.comparison_view import show_changed, show_comparison
    from secondhop.cli.terminal import clean

    for side, prompt in zip(("theirs", "ours"), trial.prompts, strict=True):
        console.print(f"{side}: {prompt.label}, {clean(prompt.path)}", soft_wrap=True)
    if trial.prompts[0].sha256 == trial.prompts[1].sha256:
        console.print("The two files are the same.", style="yellow")
    console.print()
    comparison = trial.comparison()
    show_comparison(comparison, console)
    if asked := trial.unanswerable():
        before, after = trial.wrongly_answered()
        console.print(f"unanswerable questions answered: {before} → {after} of {asked}")
    for side, reasons in zip(SIDES, trial.degraded(), strict=True):
        if reasons:
            told = f"{side}: {len(reasons)} recalls had to do without: {reasons[0]}"
            console.print(clean(told), style="yellow")
    show_changed(comparison, trial.reports[1], console)
