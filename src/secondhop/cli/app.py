"""The command `secondhop`. Only Typer is imported here: help must be quick."""

import atexit
import gc
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from secondhop.cli.annotate_command import annotate
from secondhop.cli.briefing_command import briefing
from secondhop.cli.calibrate_command import calibrate
from secondhop.cli.cues_command import cues
from secondhop.cli.eval_commands import demo, scenarios
from secondhop.cli.ingest_command import ingest
from secondhop.cli.maintenance_commands import (
    copy,
    delete_entity,
    doctor,
    export,
    import_memories,
    reindex,
    stats,
)
from secondhop.cli.mcp_command import mcp
from secondhop.cli.memory_commands import facts, forget, history, remember, update
from secondhop.cli.model_commands import pull
from secondhop.cli.new_scenario_command import new_scenario
from secondhop.cli.observe_command import observe
from secondhop.cli.options import with_common
from secondhop.cli.prompt_commands import show
from secondhop.cli.recall_commands import explain, recall
from secondhop.cli.serve_command import create, list_tokens, revoke, serve, ui
from secondhop.cli.session_command import session
from secondhop.cli.trial_commands import try_variant

Command = Callable[..., None]

SECTIONS: dict[str, dict[str, Command]] = {
    "Fill a memory": {
        "ingest": ingest,
        "annotate": annotate,
        "observe": observe,
        "remember": remember,
        "update": update,
        "forget": forget,
        "cues": cues,
    },
    "Ask it": {
        "recall": recall,
        "session": session,
        "briefing": briefing,
        "facts": facts,
        "history": history,
        "explain": explain,
    },
    "Look after it": {
        "stats": stats,
        "doctor": doctor,
        "reindex": reindex,
        "export": export,
        "import": import_memories,
        "copy": copy,
        "delete-entity": delete_entity,
    },
    "Show, serve, measure": {
        "demo": demo,
        "ui": ui,
        "serve": serve,
        "mcp": mcp,
    },
}
"""Commands by their names, in the order of the help page."""

GROUPS: dict[str, tuple[str, dict[str, Command]]] = {
    "tokens": (
        "Who may use `serve`: create, list, revoke.",
        {"create": create, "list": list_tokens, "revoke": revoke},
    ),
    "eval": (
        "Measure recall on labelled questions: new, scenarios, calibrate.",
        {"new": new_scenario, "scenarios": scenarios, "calibrate": calibrate},
    ),
    "prompts": (
        "Prompts for language models: show, eval.",
        {"show": show, "eval": try_variant},
    ),
    "models": ("Models that run on this machine: pull.", {"pull": pull}),
}
"""Command groups: {name: (help, commands)}. They stand in the last section."""


class Sections(TyperGroup):
    """A help page of one screen: a section for each kind of command, a line a command."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Click's types have other names in newer Typers, hence Any."""
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
        widest = max(map(len, self.commands))
        about = command.get_short_help_str(width - widest - 5) if command else ""
        return f"  {name:{widest}}  {about}"


def group(**options: Any) -> typer.Typer:
    """Commands that print plain help."""
    return typer.Typer(rich_markup_mode=None, no_args_is_help=True, **options)


app = group(name="secondhop", cls=Sections, add_completion=False, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
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
    """Memory recall for chatbots: the memories a question needs, named or not."""


def described(text: str) -> Command:
    """The callback of a command group: it does nothing but hold the group's help."""

    def group_help() -> None: ...

    group_help.__doc__ = text
    return group_help


for commands in SECTIONS.values():
    for name, command in commands.items():
        app.command(name)(with_common(command))
app.command("backup", hidden=True)(with_common(copy))  # as version 0.1 called it
for group_name, (about, group_commands) in GROUPS.items():
    members = group()
    members.callback()(described(about))
    for name, command in group_commands.items():
        members.command(name)(with_common(command))
    app.add_typer(members, name=group_name, help=about)


def main() -> None:
    """The console script."""
    # imports make hundreds of thousands of objects that stay; the usual threshold of 700 new ones
    # searches all of them again and again
    gc.set_threshold(50_000, 10, 10)
    # at its end Python would search them once more, for 0.2 s; the system takes all memory back
    atexit.register(gc.freeze)
    app(prog_name="secondhop")
