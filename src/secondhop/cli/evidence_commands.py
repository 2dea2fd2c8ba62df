"""`secondhop eval evidence`: how much of the evidence fits into a budget of tokens."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import Against, Changes, Concurrency
from secondhop.cli.options import Common
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.evals.evidence_set import EvidenceSet


def given_budgets(text: str) -> list[int]:
    """Budgets in tokens, separated by commas; smallest first.

    Raises:
        BadParameter: not that.
    """
    try:
        budgets = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} are no budgets, like 500,1000,2000") from error
    if budgets[0] < 1:
        raise typer.BadParameter("a budget is at least 1 token")
    return budgets


def evidence(
    common: Common,
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of evidence sets.")
    ],
    budgets: Annotated[
        str, typer.Option(metavar="N,N", help="Tokens to fill, separated by commas.")
    ] = "500,1000,2000",
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="At most N questions a set, of every type some."),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            "--category", metavar="NAME", help="Only questions of this type; may be repeated."
        ),
    ] = None,
    concurrency: Concurrency = 1,
    changes: Changes = None,
    against: Against = None,
) -> None:
    """Measure how much of the evidence fits into a budget of tokens.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.cli.evidence_bench import EvidencePlan, measured_sets
    from secondhop.cli.evidence_view import show_measured
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.comparison_targets import comparison_target
    from secondhop.evals.evidence_baselines import PASSAGE_BASELINES
    from secondhop.evals.setting_files import settings_said
    from secondhop.evals.significance import expect_statistics

    if against is not None:
        expect_statistics()
    plan = EvidencePlan(
        sets=load_sets(folders),
        budgets=given_budgets(budgets),
        limit=limit,
        types=categories or [],
        at_once=concurrency,
        changes=settings_said(changes or []),
        against=comparison_target(against, baselines=PASSAGE_BASELINES) if against else None,
    )
    measured = run(measured_sets(plan, common))
    if common.json:
        print_json(measured.document())
    else:
        show_measured(measured, screen())


def load_sets(folders: list[Path]) -> "list[EvidenceSet]":
    """The sets of these folders.

    Raises:
        UsageError: one is no evidence set, or two have the same name.
    """
    from secondhop.evals.evidence_set import load_evidence_set

    found = [load_evidence_set(folder) for folder in folders]
    if len({one.name for one in found}) < len(found):
        raise UsageError("two folders have the same name; measure them one at a time")
    return found
