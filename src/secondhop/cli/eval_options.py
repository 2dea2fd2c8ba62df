"""The options that commands which measure share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from secondhop.cli.options import given_path

ScenarioFolders: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[DIR...]", help="Scenario folders. [those of the checkout]"),
]

Concurrency: TypeAlias = Annotated[
    int, typer.Option(min=1, metavar="N", help="Questions at once; 1 keeps the times honest.")
]

Against: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Compare with a baseline, defaults, NAME=VALUE, or a settings or report file.",
    ),
]

Html: TypeAlias = Annotated[
    Path | None,
    typer.Option(parser=given_path, metavar="FILE", help="Write a page that tells it all."),
]

Out: TypeAlias = Annotated[
    Path | None, typer.Option(parser=given_path, metavar="FILE", help="Where to write it.")
]
