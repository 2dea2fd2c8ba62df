"""The command `secondhop`. Subcommands are imported when used, so that help stays fast."""

import atexit
import gc
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

Command = Callable[..., None]

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Fill a store": {
        "ingest": "ingest_command.ingest",
        "annotate": "annotate_command.annotate",
        "observe": "observe_command.observe",
        "remember": "memory_commands.remember",
        "update": "memory_commands.update",
        "forget": "memory_commands.forget",
        "cues": "cues_command.cues",
    },
    "Ask it": {
        "recall": "recall_commands.recall",
        "briefing": "briefing_command.briefing",
        "list": "memory_commands.list_memories",
        "facts": "memory_commands.facts",
        "history": "memory_commands.history",
        "explain": "recall_commands.explain",
    },
    "Look after it": {
        "stats": "maintenance_commands.stats",
        "doctor": "maintenance_commands.doctor",
        "reindex": "maintenance_commands.reindex",
        "export": "maintenance_commands.export",
        "import": "maintenance_commands.import_memories",
        "copy": "maintenance_commands.copy",
        "delete-entity": "maintenance_commands.delete_entity",
    },
    "Show, serve, measure": {
        "demo": "eval_commands.demo",
        "ui": "serve_command.ui",
        "serve": "serve_command.serve",
        "mcp": "mcp_command.mcp",
    },
}
"""{section of the help page: {command: its module in this package, and its function}}."""

GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "tokens": (
        "Who may use `serve`: create, list, revoke.",
        {
            "create": "serve_command.create",
            "list": "serve_command.list_tokens",
            "revoke": "serve_command.revoke",
        },
    ),
    "eval": (
        "Measure recall: new, scenarios, calibrate.",
        {
            "new": "new_scenario_command.new_scenario",
            "scenarios": "eval_commands.scenarios",
            "calibrate": "calibrate_command.calibrate",
        },
    ),
    "prompts": (
        "Prompts for language models: show. `eval scenarios --prompt` tries one.",
        {"show": "prompt_commands.show"},
    ),
    "models": ("Models that run on this machine: pull.", {"pull": "model_commands.pull"}),
}
"""Command groups: {name: (help, commands)}. The help page lists them in its last section."""

OLD_NAMES = {"backup": "maintenance_commands.copy"}
"""Names from version 0.1. They still work, but help does not list them."""

SERVERS = ("serve_command", "mcp_command")
"""Modules of commands without `--at`: a server is told the time with each question, and tokens need
none."""

COMMANDS = {name: place for commands in SECTIONS.values() for name, place in commands.items()}
NAMES = (*COMMANDS, *GROUPS)


class Sections(TyperGroup):
    """A help page of one screen: a section per kind of command, a line per command."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of the help page."""
        return [*NAMES]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, created on demand. For an unknown name, create all, so that Click can
        suggest one."""
        known = cmd_name in {*NAMES, *OLD_NAMES}
        for name in [cmd_name] if known else NAMES:
            if name not in self.commands:
                self.commands[name] = made(name)
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page. Click's types have other names in newer Typers, hence Any."""
        rows = {title: list(commands) for title, commands in SECTIONS.items()}
        rows[next(reversed(rows))] += GROUPS
        lines = [
            "Usage: secondhop [--version] COMMAND [--help]    Memory recall for chatbots.",
        ]
        for title, names in rows.items():
            lines += [f"{title}:", *(self.row(ctx, name, formatter.width) for name in names)]
        formatter.write("\n".join(lines))

    def row(self, ctx: Any, name: str, width: int) -> str:
        """A command's name, and its help cut to one line."""
        command = self.get_command(ctx, name)
        widest = max(map(len, NAMES))
        about = command.get_short_help_str(width - widest - 5) if command else ""
        return f"  {name:{widest}}  {about}"


def group(**options: Any) -> typer.Typer:
    """A Typer app with plain help."""
    return typer.Typer(rich_markup_mode=None, no_args_is_help=True, **options)


def made(name: str) -> Any:
    """The Click command or group of this name."""
    if place := (COMMANDS | OLD_NAMES).get(name):
        alone = group(add_completion=False)
        alone.command(name)(function_at(place))
        return get_command(alone)
    about, places = GROUPS[name]
    members = group(name=name, help=about, add_completion=False)
    members.callback()(lambda: None)
    for member, place in places.items():
        members.command(member)(function_at(place))
    return get_command(members)


def function_at(place: str) -> Command:
    """The function of a command, with the common options added."""
    from secondhop.cli.options import with_common

    module, _, function = place.partition(".")
    command: Command = getattr(import_module(f"secondhop.cli.{module}"), function)
    return with_common(command, but=("at",) if module in SERVERS else ())


app = group(name="secondhop", cls=Sections, add_completion=False, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"secondhop {version('secondhop')}")
        raise typer.Exit


@app.callback()
def front(
    _: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Memory recall for chatbots, including the memories a question never mentions."""


def main() -> None:
    """The console script."""
    # Imports create hundreds of thousands of objects that stay. At the default threshold of 700
    # new objects the collector would scan them again and again.
    gc.set_threshold(50_000, 10, 10)
    # At exit Python would scan them once more, for 0.2 s; the OS frees the memory anyway.
    atexit.register(gc.freeze)
    app(prog_name="secondhop")
