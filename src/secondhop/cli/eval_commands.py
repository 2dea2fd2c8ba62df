"""`secondhop eval …` and `secondhop demo`: recall on labelled questions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import (
    Against,
    Concurrency,
    Html,
    ScenarioFolders,
)
from secondhop.cli.options import Common, EffortOption, given_path
from secondhop.cli.work import tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.cli.eval_bench import EvalPlan, Measured
    from secondhop.evals.scenario import Scenario


def scenarios(
    common: Common,
    folders: ScenarioFolders = None,
    per_question: Annotated[
        bool, typer.Option("--per-question", help="The measures of every question, too.")
    ] = False,
    no_cues: Annotated[
        bool, typer.Option("--no-cues", help="Leave out the cues.jsonl of scenario folders.")
    ] = False,
    stored: Annotated[
        bool,
        typer.Option(
            "--stored",
            help="Ask the memory of --store and --entity; a folder is then questions alone.",
        ),
    ] = False,
    concurrency: Concurrency = 1,
    against: Against = None,
    html: Html = None,
    effort: EffortOption = None,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Let the model write cues first; --store keeps them."),
    ] = False,
    answers: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FILE|DIR", help="Keep the language model's answers there."
        ),
    ] = None,
) -> None:
    """Measure recall on labelled scenarios.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.cli.eval_bench import EvalPlan, measured
    from secondhop.cli.opening import run
    from secondhop.cli.writing import expect_writable
    from secondhop.evals.comparison_targets import comparison_target
    from secondhop.evals.page import expect_jinja
    from secondhop.evals.scenarios import Asking
    from secondhop.evals.shipped import shipped_scenarios
    from secondhop.evals.significance import expect_statistics

    found = load_scenarios(
        folders or shipped_scenarios(), cues=not (no_cues or annotate), stored=stored
    )
    expect_writable([html])
    if html is not None:
        expect_jinja()
    if against is not None:
        expect_statistics()
    plan = EvalPlan(
        scenarios=found,
        against=comparison_target(against) if against else None,
        asking=Asking(at_once=concurrency, stories=per_question or html is not None, effort=effort),
        annotate=annotate,
        answers=answers,
        stored=stored,
    )
    result = run(measured(plan, common))
    if html is not None:
        write_page(html, result, plan, common)
    show(result, common, per_question=per_question)


def show(result: "Measured", common: Common, *, per_question: bool) -> None:
    """Print the reports, and the comparison when there is one."""
    from secondhop.cli.comparison_view import show_changed, show_comparison
    from secondhop.cli.eval_view import show_reports
    from secondhop.cli.terminal import notices
    from secondhop.evals.ir_library import EvalExtraMissingError, missing_modules

    if missing := missing_modules():
        notices().print(f"left out: {EvalExtraMissingError(missing)}", soft_wrap=True)

    def shown(console: "Console") -> None:
        show_reports(result.reports, console, per_question=per_question)
        if result.comparison is not None:
            console.print()
            show_comparison(result.comparison, console)
            if per_question:
                show_changed(result.comparison, result.reports, console)

    tell(common, result.document(per_question=per_question), shown)


def write_page(path: Path, result: "Measured", plan: "EvalPlan", common: Common) -> None:
    """Write the HTML report, and say where it is."""
    from secondhop.cli.writing import write_text
    from secondhop.evals.page import report_page

    facts = facts_of(plan, common)
    write_text(path, report_page(result.reports, result.comparison, facts=facts))


def facts_of(plan: "EvalPlan", common: Common) -> dict[str, str]:
    """What was measured, and how, for the head of the page."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    from secondhop.cli.opening import choose_llm
    from secondhop.settings import load_settings

    environment = load_settings()
    return {
        "Measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, secondhop {version('secondhop')}",
        "Embedding model": common.embedder or environment.embedder,
        "Language model": choose_llm(common.llm or environment.llm) or "none",
        "Settings": ", ".join(common.settings) or "as shipped",
        "Questions at once": str(plan.asking.at_once),
    }


def load_scenarios(
    folders: list[Path], *, cues: bool = True, stored: bool = False
) -> "list[Scenario]":
    """The scenarios of these folders, with the cues that they have.

    Raises:
        UsageError: one is no scenario, or two have the same name.
    """
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
    trace: Annotated[bool, typer.Option("--trace", help="Show how it was found, too.")] = False,
) -> None:
    """Ask an example memory, and see what plain search misses."""
    from secondhop.cli.demo import compare
    from secondhop.cli.demo_view import comparison_document, show_comparison
    from secondhop.cli.opening import run
    from secondhop.evals.scenario import load_scenario
    from secondhop.evals.shipped import shipped_scenario

    chosen = load_scenario(scenario or shipped_scenario("carefeed"))
    found = run(compare(chosen, common))
    document = comparison_document(found)
    tell(common, document, lambda console: show_comparison(found, console, trace=trace))
