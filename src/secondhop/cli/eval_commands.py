"""`secondhop eval …` and `secondhop demo`: recall on labelled questions."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from secondhop.cli.options import Common, EffortOption, given_path
from secondhop.cli.terminal import notices
from secondhop.cli.work import tell
from secondhop.cli.writing import expect_writable, write_text
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.cli.eval_bench import EvalPlan, Measured
    from secondhop.evals.scenario import Scenario

ScenarioFolders: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[DIR...]", help="Scenario folders. [those of the checkout]"),
]


def scenarios(
    common: Common,
    folders: ScenarioFolders = None,
    stored: Annotated[
        bool,
        typer.Option(
            "--stored",
            help="Ask what --store and --entity name; folders then need only questions.",
        ),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="A baseline, effort, defaults, NAME=VALUE, or file: settings, a prompt, a report.",
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE",
            help="A prompt to try, by default against the one in force.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The first N questions of each folder.")
    ] = None,
    per_question: Annotated[
        bool,
        typer.Option(
            "--per-question", help="The measures of each question, what it missed, and why."
        ),
    ] = False,
    no_cues: Annotated[
        bool, typer.Option("--no-cues", help="Leave out the cues.jsonl of scenario folders.")
    ] = False,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Let the model write cues first; --store keeps them."),
    ] = False,
    effort: EffortOption = None,
    concurrency: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Questions at once; times are exact only with 1."),
    ] = 1,
    answers: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE|DIR",
            help="Keep the model's answers there. [with --prompt, your cache folder]",
        ),
    ] = None,
) -> None:
    """Measure recall on labelled scenarios.

    Shows plain search of the same store beside it. With --prompt it tries a variant of a prompt.
    """
    from secondhop.cli.eval_bench import EvalPlan, measured
    from secondhop.cli.opening import run
    from secondhop.evals.samples import first_questions
    from secondhop.evals.scenarios import Asking
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_scipy

    if stored and not folders:
        raise UsageError(
            "--stored needs the folder with the questions about your store: `secondhop eval "
            "scenarios DIR --stored`; `secondhop eval new DIR` makes one"
        )
    if against or prompt:
        expect_scipy()
    plan = EvalPlan(
        scenarios=[
            first_questions(one, limit)
            for one in load_scenarios(
                folders or shipped_scenarios(), cues=not (no_cues or annotate), stored=stored
            )
        ],
        asking=Asking(at_once=concurrency, missed=per_question, effort=effort),
        annotate=annotate,
        answers=answers,
        stored=stored,
    )
    plan, place = with_target(plan, common, against=against, prompt=prompt)
    if plan.prompt is not None:
        notices().print(f"ours: {plan.prompt.label} ({plan.prompt.path})", soft_wrap=True)
    show(run(measured(plan, place)), common, per_question=per_question)


def with_target(
    plan: "EvalPlan", common: Common, *, against: str | None, prompt: Path | None
) -> "tuple[EvalPlan, Common]":
    """The plan with the two sides to compare, and the options to measure it with."""
    from secondhop.cli.kept_answers import usual_answers
    from secondhop.cli.opening import prompts_in_force
    from secondhop.evals.comparison_targets import OtherSide, comparison_target, other_prompt
    from secondhop.nodes.effort import PLANNED_WITH, VOTED_WITH
    from secondhop.prompts.templates import tried_prompt

    tried = tried_prompt(prompt) if prompt else None
    target = comparison_target(against) if against else None
    if tried is not None and target is None:
        target = other_prompt(prompts_in_force(common)[tried.name])
    plan = replace(plan, against=target, prompt=tried)
    other = target.prompt if isinstance(target, OtherSide) else None
    if other is None:
        return plan, common
    if tried is not None and tried.name != other.name:
        raise UsageError(
            f"{tried.path} replaces the prompt {tried.name}, {other.path} the prompt "
            f"{other.name}; compare two variants of one prompt"
        )
    if other.sha256 == (tried or prompts_in_force(common)[other.name]).sha256:
        same = f"both sides ask the same prompt, {other.label}: nothing in it was changed"
        notices().print(same, style="yellow", soft_wrap=True)
    plan = replace(plan, answers=plan.answers or usual_answers())
    if other.name == "annotate":
        return writing_cues(plan), replace(common, store=None, chroma="")
    asking = replace(plan.asking, effort=plan.asking.effort or "high")
    efforts = VOTED_WITH if other.name == "critique" else PLANNED_WITH
    if asking.effort not in efforts:
        raise UsageError(
            f"no recall with effort {asking.effort} asks the prompt {other.name}, so both "
            f"sides would be equal; say --effort {' or '.join(efforts)}"
        )
    return replace(plan, asking=asking), common


def writing_cues(plan: "EvalPlan") -> "EvalPlan":
    """A plan in which both prompts write cues for the same sample of memories."""
    from secondhop.evals.samples import sampled

    if plan.stored:
        raise UsageError(
            "two prompts that write cues need two empty stores; leave out --stored, and give a "
            "folder with the memories"
        )
    return replace(
        plan,
        scenarios=[sampled(one) for one in plan.scenarios],
        annotate=True,
        asking=replace(plan.asking, effort=plan.asking.effort or "none"),
    )


def show(result: "Measured", common: Common, *, per_question: bool) -> None:
    """Print the reports, and the comparison if there is one."""
    from secondhop.cli.comparison_view import show_changed, show_comparison, show_other_side
    from secondhop.cli.eval_view import show_reports

    def shown(console: "Console") -> None:
        show_reports(result.reports, console, per_question=per_question)
        if result.comparison is not None:
            console.print()
            show_comparison(result.comparison, console)
            show_other_side(result.reports, result.others, console)
            show_changed(result.comparison, result.reports, console)

    tell(common, result.document(per_question=per_question), shown)


def load_scenarios(
    folders: list[Path], *, cues: bool = True, stored: bool = False
) -> "list[Scenario]":
    """The scenarios in these folders; `stored` ones may consist of questions only."""
    from secondhop.evals.scenario import load_scenario

    found = [load_scenario(folder, cues=cues, stored=stored) for folder in folders]
    names = [scenario.name for scenario in found]
    if len(set(names)) < len(names):
        raise UsageError("two scenario folders have the same name; measure them one at a time")
    return found


def demo(
    common: Common,
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A scenario folder. [examples/scenarios/carefeed]"),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Also show how it was found.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="Write the answer as a web page."),
    ] = None,
) -> None:
    """Compare plain search and recall on an example person."""
    from secondhop.cli.demo import compare
    from secondhop.cli.demo_view import demo_document, show_demo
    from secondhop.cli.opening import run
    from secondhop.evals.scenario import load_scenario
    from secondhop.evals.shipped import shipped_scenario

    chosen = load_scenario(scenario or shipped_scenario("carefeed"))
    expect_writable(html)
    found = run(compare(chosen, common))
    if html is not None:
        write_text(html, found.page)
    document = demo_document(found)
    written = html is not None
    tell(
        common,
        document,
        lambda console: show_demo(found, console, trace=trace, written=written),
    )
