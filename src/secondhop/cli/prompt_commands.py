"""`secondhop prompts show`: the prompts for language models."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common
from secondhop.cli.work import tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
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
    from secondhop.cli.prompt_view import prompt_document, show_prompts

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
    if rendered is None:
        show_file(common, prompts[name])
    else:
        show_filled(common, prompts[name], rendered)


def show_file(common: Common, prompt: "Prompt") -> None:
    """Print the file of a prompt, byte for byte."""
    from secondhop.cli.prompt_view import prompt_document

    document = {**prompt_document(prompt), "text": prompt.text}
    tell(common, document, lambda _: typer.echo(prompt.text.encode(), nl=False))


def show_filled(common: Common, prompt: "Prompt", question: str) -> None:
    """Print the messages of a prompt as a model would read them."""
    from secondhop.cli.opening import run
    from secondhop.cli.prompt_view import prompt_document, show_rendered

    messages = run(render(common, prompt, question))
    filled = {"system": messages.system, "user": messages.user}
    document = {**prompt_document(prompt), "rendered": filled}
    tell(common, document, lambda console: show_rendered(messages, console))


async def render(common: Common, prompt: "Prompt", question: str) -> "RenderedPrompt":
    """The messages of one prompt for a question to the chosen entity; no model is asked.

    Raises:
        UnknownEntityError: nothing is stored for the entity.
        UsageError: a recall of this question does not reach that prompt.
    """

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
