"""`secondhop calibrate` and `secondhop tune`: a scale and settings fitted to labelled questions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.options import Common, given_path
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.cli.calibrate_bench import LabelledTopics
    from secondhop.evals.calibrate import Method


def calibrate(
    common: Common,
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR...]", help="Scenario folders. [no labels: the playbooks alone]"
        ),
    ] = None,
    topics: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="TOPICS", help="Questions: TSV or JSONL."),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="QRELS", help="TREC judgements of --topics."),
    ] = None,
    memories: Annotated[
        list[Path] | None,
        typer.Option(parser=given_path, metavar="PATH", help="Store these for --topics first."),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD", help="logistic, or isotonic.")
    ] = "logistic",
    grade: Annotated[
        int, typer.Option(min=1, metavar="N", help="From which grade on a memory is relevant.")
    ] = 1,
    share: Annotated[
        float,
        typer.Option(min=0.01, max=0.99, metavar="S", help="Weight of all relevant pairs, of 1."),
    ] = 0.3,
    out: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="Write the scale, for --scale."),
    ] = None,
) -> None:
    """Fit what an embedding model's cosines mean.

    The figures are of questions that were left out of the fit.
    """
    from secondhop.cli.calibrate_bench import fit_scale, scale_without_labels
    from secondhop.cli.calibrate_view import show_calibration, show_label_free
    from secondhop.cli.eval_commands import expect_writable, load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    wanted = known_method(method)
    judged = labelled_topics(topics, qrels, memories or [])
    expect_writable([out] if out else [])
    if folders or judged:
        scenarios = load_scenarios(folders or [])
        work = fit_scale(scenarios, judged, common, method=wanted, relevant_from=grade, share=share)
        report = run(work)
        document, file = report.document(), report.file()
        if not common.json:
            show_calibration(report, screen())
    else:
        made = run(scale_without_labels(common))
        document, file = made.document(), made.file()
        if not common.json:
            show_label_free(made, screen())
    if common.json:
        print_json(document)
    if out is not None:
        write_yaml(out, file, note="written by `secondhop calibrate`; use it with --scale")


def known_method(method: str) -> "Method":
    """Raises UsageError for a way to fit that there is not."""
    if method == "logistic":
        return "logistic"
    if method == "isotonic":
        return "isotonic"
    raise UsageError(f"no method {method!r}; choose one of: logistic, isotonic")


def labelled_topics(
    topics: Path | None, qrels: Path | None, memories: list[Path]
) -> "LabelledTopics | None":
    """Questions and judgements of TREC's files; None: none were named.

    Raises:
        UsageError: one of the two is missing, or memories are named without them.
    """
    from secondhop.cli.calibrate_bench import LabelledTopics
    from secondhop.evals.topics import read_topics
    from secondhop.evals.trec_files import read_qrels

    if topics is None and qrels is None and not memories:
        return None
    if topics is None or qrels is None:
        raise UsageError("--topics and --qrels belong together: questions, and their judgements")
    return LabelledTopics(
        topics=read_topics(topics), judgements=read_qrels(qrels), memories=memories
    )


def tune(
    common: Common,
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Scenario folders.")],
    trials: Annotated[int, typer.Option(min=2, metavar="N", help="Settings to try a search.")] = 40,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="For what is drawn.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="Write the settings, for --settings."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write them though they are not surely better.")
    ] = False,
) -> None:
    """Search ranking settings on labelled scenarios.

    The result is of scenarios that were left out. Ctrl-C ends it early, with what is found so far.
    """
    from secondhop.cli.eval_commands import expect_writable, load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.cli.tune_bench import tune_scenarios
    from secondhop.cli.tune_view import show_tuning
    from secondhop.evals.tuning_search import expect_optuna

    expect_optuna()
    expect_writable([out] if out else [])
    found = run(tune_scenarios(load_scenarios(folders), common, trials=trials, seed=seed))
    worth_it = bool(found.table.to_use) and (found.better or force)
    if common.json:
        print_json(found.document())
    else:
        show_tuning(found, screen())
    if out is not None and worth_it:
        write_yaml(out, found.file(), note="written by `secondhop tune`; use it with --settings")
    elif out is not None and found.table.to_use:
        say(f"{out} is not written; --force writes settings that are not surely better")
    elif out is not None:
        say(f"{out} is not written: nothing that was tried is better than the defaults")
    if found.interrupted:
        raise KeyboardInterrupt("interrupted; the choice was made among what had been measured")


def write_yaml(path: Path, document: dict[str, Any], *, note: str) -> None:
    """Raises UsageError when the file cannot be written."""
    import yaml

    from secondhop.evals.trec_files import write_text

    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    write_text(path, f"# {note}\n{text}")
    say(f"wrote {path}")


def say(message: str) -> None:
    """One line on standard error."""
    from secondhop.cli.terminal import notices

    notices().print(message, soft_wrap=True)
