"""The command `secondhop`. Only Typer is imported here: help must be quick."""

from typing import Annotated

import typer

from secondhop.cli.briefing_command import briefing
from secondhop.cli.calibrate_command import calibrate
from secondhop.cli.care_commands import CARE
from secondhop.cli.eval_commands import demo, scenarios
from secondhop.cli.evidence_commands import evidence
from secondhop.cli.keeping_commands import KEEPING
from secondhop.cli.learning_commands import LEARNING
from secondhop.cli.learning_eval_command import learning as eval_learning
from secondhop.cli.mcp_command import mcp
from secondhop.cli.memory_commands import explain, graph, ingest, recall, reindex, stats
from secondhop.cli.model_commands import pull
from secondhop.cli.observe_command import observe
from secondhop.cli.options import with_common
from secondhop.cli.playbook_commands import check_library, list_intents
from secondhop.cli.prompt_commands import check, diff, list_prompts, show
from secondhop.cli.replay_command import replay
from secondhop.cli.session_command import session
from secondhop.cli.session_eval_command import sessions
from secondhop.cli.settings_commands import SETTINGS
from secondhop.cli.topics_command import topics
from secondhop.cli.trial_commands import try_variant
from secondhop.cli.tune_command import tune

app = typer.Typer(
    name="secondhop",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
evals = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
learning = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
models = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
prompts = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
playbooks = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
settings = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


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
    """Memory recall for chatbots: the memories a question needs, and never names."""


for command in (ingest, recall, explain, replay, graph, stats, reindex, demo):
    app.command()(with_common(command))
app.command()(with_common(briefing))
for keeping in KEEPING:
    app.command()(with_common(keeping))
for name, care in CARE.items():
    app.command(name)(with_common(care))
app.command()(with_common(observe))
app.command()(with_common(mcp))
app.command()(with_common(session))
evals.command()(with_common(scenarios))
evals.command()(with_common(evidence))
evals.command()(with_common(sessions))
evals.command("learning")(with_common(eval_learning))
evals.command()(with_common(topics))
evals.command()(with_common(calibrate))
evals.command()(with_common(tune))
models.command()(with_common(pull))
for name, learning_command in LEARNING.items():
    learning.command(name)(with_common(learning_command))
for name, settings_command in SETTINGS.items():
    settings.command(name)(with_common(settings_command))
for prompt_command in (show, diff, check):
    prompts.command()(with_common(prompt_command))
prompts.command("list")(with_common(list_prompts))
prompts.command("eval")(with_common(try_variant))
playbooks.command("list")(with_common(list_intents))
playbooks.command("check")(with_common(check_library))
app.add_typer(evals, name="eval", help="Measure recall on labelled questions.")
app.add_typer(learning, name="learning", help="What resolved sessions have taught.")
app.add_typer(models, name="models", help="The models that run on this machine.")
app.add_typer(prompts, name="prompts", help="The prompts for language models: see, check, try.")
app.add_typer(playbooks, name="playbooks", help="The intents that plan without a model.")
app.add_typer(settings, name="settings", help="Settings of recall that belong to an entity.")


@evals.callback()
def eval_group() -> None:
    """Measure recall on labelled questions."""


@learning.callback()
def learning_group() -> None:
    """What resolved sessions have taught."""


@models.callback()
def models_group() -> None:
    """The models that run on this machine."""


@playbooks.callback()
def playbooks_group() -> None:
    """The intents that plan without a model."""


@prompts.callback()
def prompts_group() -> None:
    """The prompts for language models: see, check, try."""


@settings.callback()
def settings_group() -> None:
    """Settings of recall that belong to an entity."""


def main() -> None:
    """The console script."""
    app(prog_name="secondhop")
