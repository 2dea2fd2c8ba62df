"""`secondhop prompts eval`: two variants of a prompt on the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, given_path
from secondhop.cli.work import tell
from secondhop.errors import ModelError, UsageError

if TYPE_CHECKING:
    from secondhop.evals.report import ScenarioReport
    from secondhop.evals.scenario import Scenario
    from secondhop.evals.trial_report import Pair, TrialReport
    from secondhop.models.answer_cache import AnswerCounts
    from secondhop.prompts.templates import Prompt


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

    Both variants answer the same questions. What the model was asked before, word for word, comes
    from a cache.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.kept_answers import usual_answers
    from secondhop.cli.opening import named_llm, prompts_in_force, run
    from secondhop.cli.trial_view import show_trial
    from secondhop.evals.samples import first_questions
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_statistics

    expect_statistics()
    named_llm(common)
    folders = [*(scenarios or []), *(more or [])] or shipped_scenarios()
    asked = [first_questions(one, limit) for one in load_scenarios(folders)]
    in_force = prompts_in_force(common)
    prompts = prompt_pair(variant, against, in_force)
    report = run(
        tried(
            prompts,
            in_force,
            common,
            scenarios=asked,
            at_once=concurrency,
            sample=sample,
            answers=answers or usual_answers(),
        )
    )
    tell(common, report.document(), lambda console: show_trial(report, console))


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


async def tried(
    prompts: "tuple[Prompt, Prompt]",
    in_force: "Mapping[str, Prompt]",
    common: Common,
    *,
    scenarios: "Sequence[Scenario]",
    at_once: int,
    sample: int,
    answers: Path,
) -> "TrialReport":
    """Every question with both prompts; of `annotate`, with the cues that each of them writes.

    Raises:
        ModelError: the model never answered, so there is nothing to compare.
    """
    from secondhop.cli.eval_bench import eval_bench
    from secondhop.cli.opening import settings_of
    from secondhop.evals.samples import sampled
    from secondhop.evals.scenarios import Asking
    from secondhop.evals.trial_report import TrialReport, pairs_of
    from secondhop.models.prices import load_prices, price_of
    from secondhop.settings import load_settings

    environment = load_settings()
    settings = settings_of(common, environment)
    writes_cues = prompts[0].name == "annotate"
    if writes_cues:  # an empty memory for each of the two
        common = replace(common, store=None, chroma="")
        scenarios = [sampled(one, memories=sample) for one in scenarios]
    asking = Asking(at_once=at_once, baselines=False, effort="none" if writes_cues else "high")
    sides: list[list[ScenarioReport]] = []
    counts: list[AnswerCounts] = []
    model_id = ""
    for prompt in prompts:
        async with eval_bench(common, answers=answers, annotate=writes_cues) as bench:
            assert bench.model is not None  # named_llm
            model_id = bench.model.llm.model_id
            counts.append(bench.model.counted())
            side = {**in_force, prompt.name: prompt}
            sides.append(
                [
                    await bench.run(
                        one, settings=settings, asking=asking, prompts=side, counts=counts[-1]
                    )
                    for one in scenarios
                ]
            )
    pairs = [pair for both in zip(*sides, strict=True) for pair in pairs_of(*both)]
    expect_answers(pairs, counts)
    return TrialReport(
        prompts=prompts,
        model=model_id,
        pairs=pairs,
        counts=(counts[0], counts[1]),
        price=price_of(model_id, load_prices(environment.prices)),
    )


def expect_answers(pairs: "Sequence[Pair]", counts: "Sequence[AnswerCounts]") -> None:
    """Raises ModelError when the model never answered: then both sides had no model."""
    answered = sum(one.from_cache + one.asked - one.failed for one in counts)
    reasons = [reason for pair in pairs for reason in pair.variant.degraded]
    if reasons and not answered:
        raise ModelError(f"the model never answered, there is nothing to compare: {reasons[0]}")
