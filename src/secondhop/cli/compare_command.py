"""`secondhop eval compare`: two runs of an evaluation, question by question."""

from pathlib import Path
from typing import Annotated

import typer

from secondhop.cli.options import Common, given_path


def compare(
    common: Common,
    first: Annotated[
        Path, typer.Argument(parser=given_path, metavar="FIRST", help="What you compare with.")
    ],
    second: Annotated[
        Path, typer.Argument(parser=given_path, metavar="SECOND", help="What may be better.")
    ],
) -> None:
    """Compare two runs, question by question.

    Of `eval scenarios --per-question --json`, as offline and with a model. Asks nothing.
    """
    from secondhop.cli.compare_view import show_compared
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.compare_runs import compared_runs, read_run

    found = compared_runs(read_run(first), read_run(second))
    if common.json:
        print_json(found.document())
    else:
        show_compared(found, screen())
