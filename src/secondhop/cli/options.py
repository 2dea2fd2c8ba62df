"""The options that all commands share."""

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from secondhop.cli.advised import place_again
from secondhop.cli.exit_status import with_exit_status
from secondhop.errors import UsageError
from secondhop.moments import with_zone
from secondhop.nodes.state import Effort
from secondhop.stores.store_address import expect_possible, is_address


def moment(text: str) -> datetime:
    """An ISO 8601 moment; without a time zone, in UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is not an ISO 8601 time, like 2025-11-17T13:00Z"
        ) from error
    return with_zone(found)


def given_path(text: str) -> Path:
    """A path. An empty one is refused: it comes from an unset variable and does not mean "."."""
    if not text:
        raise typer.BadParameter("the path is empty")
    if text == "-":
        raise typer.BadParameter(
            "- is neither standard input nor standard output here; ./- is a file of that name"
        )
    return Path(os.path.expanduser(text))  # leaves a name like "~draft.html" as it is


def given_store(text: str) -> str | Path:
    """A folder, or the address of a PostgreSQL database."""
    try:
        expect_possible(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from error
    return text if is_address(text) else given_path(text)


def given_output(text: str) -> Path | None:
    """A path to write to; None for "-" (standard output)."""
    return None if text == "-" else given_path(text)


def given_settings(text: str) -> str:
    """NAME=VALUE, or a path."""
    return text if "=" in text else str(given_path(text))


def given_entity(text: str) -> str:
    """An entity's name. An empty one is refused, because it would open the default entity."""
    if not text.strip():
        raise typer.BadParameter("the entity's name is empty")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """Which store and entity a command works on, and how. None: the environment or a default.

    Help pages list the options in the order of these fields.
    """

    store: Annotated[
        Any,
        typer.Option(
            parser=given_store,
            metavar="DIR",
            help="Folder of the store, or postgresql://… [SECONDHOP_STORE, or ./.secondhop]",
        ),
    ] = None
    chroma: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A Chroma server that holds the vectors."),
    ] = None
    entity: Annotated[
        str | None,
        typer.Option(parser=given_entity, metavar="E", help="Whose memory it is. [default]"),
    ] = None
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Language model: offline, or openai:MODEL (OPENAI_API_KEY, OPENAI_BASE_URL).",
        ),
    ] = None
    prompts: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="DIR",
            help="Folder of prompts that replace the built-in ones.",
        ),
    ] = None
    deadline: Annotated[
        float | None,
        typer.Option(min=0.1, metavar="SECONDS", help="How long a recall may take. [30]"),
    ] = None
    embedder: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Embedding model. [default]")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--settings",
            "--set",
            parser=given_settings,
            metavar="SETTING",
            help="A file of settings, or NAME=VALUE; repeatable.",
        ),
    ] = None
    scale: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="What `eval calibrate` wrote."),
    ] = None
    at: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help='The time that counts as "now".'),
    ] = None
    json: Annotated[
        bool, typer.Option("--json", help="One JSON document on stdout, all else on stderr.")
    ] = False
    sessions: str | None = None
    """Where open sessions are kept; only some commands have this option (`SessionsPlace`)."""


def shared_parameters() -> dict[str, inspect.Parameter]:
    """The options of every command, as parameters for Typer."""
    hints = get_type_hints(Common, include_extras=True)
    return {
        name: one.replace(annotation=hints[name])
        for name, one in inspect.signature(Common).parameters.items()
        if name != "sessions"
    }


EffortOption = Annotated[
    Effort | None,
    typer.Option(
        "--effort",
        help="What a language model may be asked: nothing, one vote, or a plan and votes.",
        show_default="the cheapest that serves",
    ),
]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")]

SessionsPlace = Annotated[
    str | None,
    typer.Option(
        "--sessions",
        metavar="PLACE",
        help="Where open sessions are kept: sqlite or redis://HOST:PORT/DATABASE. "
        "[SECONDHOP_SESSIONS, or sqlite]",
    ),
]


ExportFile = Annotated[
    Path | None,
    typer.Argument(parser=given_output, metavar="[FILE]", help="[standard output, also with -]"),
]


def with_common(command: Callable[..., None], *, but: Sequence[str] = ()) -> Callable[..., None]:
    """A command for Typer: its own parameters, then the common ones without those in `but`.

    Errors become one line on standard error and an exit status. Typer reads the parameters from
    the wrapper's signature.
    """
    shared = {name: one for name, one in shared_parameters().items() if name not in but}
    hints = get_type_hints(command, include_extras=True)
    own = [
        one.replace(annotation=hints[one.name])
        for one in [*inspect.signature(command).parameters.values()][1:]
    ]

    def run(**given: Any) -> None:
        from secondhop.cli.progress import silent
        from secondhop.telemetry import export_where_asked

        common = Common(**{name: given.pop(name) for name in shared})
        with with_exit_status(place=place_again(common)):
            export_where_asked()
            with silent(common.json):
                command(common, **given)

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in [*own, *shared.values()]
    ]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    return run
