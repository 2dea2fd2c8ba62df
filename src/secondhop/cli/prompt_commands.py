"""`secondhop prompts show`: the prompts for language models."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.options import Common
from secondhop.cli.terminal import clean
from secondhop.cli.work import tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from secondhop.prompts.templates import Prompt, RenderedPrompt


def show(
    common: Common,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="decompose, expand, critique, observe or annotate. [list them]"
        ),
    ] = None,
    rendered: Annotated[
        str | None,
        typer.Option(metavar="QUESTION", help="As a model would read it for this question."),
    ] = None,
) -> None:
    """List the prompts in force, or print the file of one.

    Prompts in --prompts DIR (or SECONDHOP_PROMPTS) replace the built-in ones; a faulty file is
    reported. Redirect the output to a file to start a variant.
    """
    from secondhop.cli.opening import prompts_in_force

    prompts = prompts_in_force(common)
    if name is None:
        if rendered is not None:
            raise UsageError(f"--rendered needs the NAME of a prompt: {', '.join(prompts)}")
        every = list(prompts.values())
        documents = {"prompts": [prompt_document(prompt) for prompt in every]}
        tell(common, documents, lambda console: show_prompts(every, console))
        return
    if name not in prompts:
        raise UsageError(f"there is no prompt {name!r}; the prompts are {', '.join(prompts)}")
    prompt = prompts[name]
    if rendered is not None:
        show_filled(common, prompt, rendered)
        return
    document = {**prompt_document(prompt), "text": prompt.text}
    tell(common, document, lambda _: typer.echo(prompt.text.encode(), nl=False))  # byte for byte


def show_filled(common: Common, prompt: "Prompt", question: str) -> None:
    """Print the messages of a prompt as a model would read them."""
    from secondhop.cli.opening import run

    messages = run(render(common, prompt, question))
    filled = {"system": messages.system, "user": messages.user}
    document = {**prompt_document(prompt), "rendered": filled}
    tell(common, document, lambda console: show_rendered(messages, console))


async def render(common: Common, prompt: "Prompt", question: str) -> "RenderedPrompt":
    """The messages of one prompt for a question to the chosen entity; no model is asked."""

    from secondhop.cli.opening import expect_memories, opened, prompts_in_force
    from secondhop.evals.rendering import rendered_prompts
    from secondhop.models.choose_llm import OFFLINE

    offline = replace(common, llm=OFFLINE)
    async with opened(offline, counting=True) as recall:
        await expect_memories(recall, offline)
        found = await rendered_prompts(question, recall, prompts_in_force(common), at=common.at)
    if prompt.name not in found:
        raise UsageError(
            f"a recall of this question does not reach the prompt {prompt.name}: nothing was "
            f"found to judge; ask about something that is stored"
        )
    return found[prompt.name]


def prompt_document(prompt: "Prompt") -> dict[str, Any]:
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


def show_prompts(prompts: "Sequence[Prompt]", console: "Console") -> None:
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


def show_rendered(messages: "RenderedPrompt", console: "Console") -> None:
    """Print both messages line by line, without terminal controls."""
    for role, text in (("system", messages.system), ("user", messages.user)):
        console.print(f"--- {role} ---", style="bold")
        for line in text.split("\n"):
            console.print(clean(line), soft_wrap=True)
