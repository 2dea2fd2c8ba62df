"""Prompt files for people and programs: lists, messages and faults."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from secondhop.cli.terminal import clean, screen
from secondhop.prompts.templates import (
    Prompt,
    PromptError,
    RenderedPrompt,
    prompt_files,
    replacement,
)

if TYPE_CHECKING:
    from rich.console import Console

Check: TypeAlias = tuple[Prompt | None, PromptError | None]
"""A sound prompt, or what is wrong with a file."""


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
    """One row a prompt."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("prompt", "version", "hash", "from", "variables"):
        table.add_column(heading, overflow="fold")
    for prompt in prompts:
        variables = ", ".join(sorted(prompt.variables))
        cells = (str(prompt.version), prompt.sha256[:12], clean(prompt.path), variables)
        table.add_row(Text(prompt.name, style="bold"), *map(Text, cells))
    console.print(table)


def show_rendered(messages: RenderedPrompt, console: "Console") -> None:
    """Both messages, as they stand; of stored text no line steers the terminal."""
    for role, text in (("system", messages.system), ("user", messages.user)):
        console.print(f"--- {role} ---", style="bold")
        for line in text.split("\n"):
            console.print(clean(line), soft_wrap=True)


def checked(places: Iterable[Path]) -> list[Check]:
    """Every file, and every file of every folder; there it must be called like its prompt."""
    found: list[Check] = []
    for place in places:
        files = prompt_files(place) if place.is_dir() else [place]
        for file in files:
            try:
                found.append((replacement(file, name=file.stem if place.is_dir() else None), None))
            except PromptError as error:
                found.append((None, error))
        if not files:
            found.append((None, PromptError("holds no prompt file (*.md)", path=str(place))))
    return found


def show_checks(checks: Sequence[Check], to_json: Callable[[object], None] | None) -> None:
    """Sound prompts on standard output, faults on standard error; or all as one document."""
    if to_json:
        to_json({"prompts": [check_document(check) for check in checks]})
    for prompt, fault in checks:
        if fault:
            print(clean(str(fault)), file=sys.stderr)
        elif prompt and not to_json:
            screen().print(f"{clean(prompt.path)}: {soundness(prompt)}", soft_wrap=True)


def soundness(prompt: Prompt) -> str:
    """That it can be used, and what it does without."""
    lacks = ", ".join(f"${name}" for name in prompt.lacks)
    return f"{prompt.label} is sound" + (f", without {lacks} (docs/prompts.md)" if lacks else "")


def check_document(check: Check) -> dict[str, Any]:
    """One check for `--json`."""
    prompt, fault = check
    if fault:
        return {"ok": False, "path": fault.path, "fault": fault.fault}
    return {"ok": True, **(prompt_document(prompt) if prompt else {})}
