"""Prints the list of prompts, and the messages of one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from secondhop.cli.terminal import clean
from secondhop.prompts.templates import Prompt, RenderedPrompt

if TYPE_CHECKING:
    from rich.console import Console


def prompt_document(prompt: Prompt) -> dict[str, Any]:
    """A prompt for `--json`, without its text."""
    return {
        "name": prompt.name,
        "version": prompt.version,
        "hash": prompt.sha256,
        "path": prompt.path,
        "schema": prompt.schema,
        "variables": sorted(prompt.variables),
        "without": prompt.lacks,
    }


def show_prompts(prompts: Sequence[Prompt], console: "Console") -> None:
    """Print one row per prompt."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("prompt", "version", "hash", "from", "variables"):
        table.add_column(heading, overflow="fold")
    for prompt in prompts:
        variables = ", ".join([*sorted(prompt.variables), *(f"no {name}" for name in prompt.lacks)])
        cells = (str(prompt.version), prompt.sha256[:12], clean(prompt.path), variables)
        table.add_row(Text(prompt.name, style="bold"), *map(Text, cells))
    console.print(table)


def show_rendered(messages: RenderedPrompt, console: "Console") -> None:
    """Print both messages line by line, without terminal controls."""
    for role, text in (("system", messages.system), ("user", messages.user)):
        console.print(f"--- {role} ---", style="bold")
        for line in text.split("\n"):
            console.print(clean(line), soft_wrap=True)
