"""`secondhop replay`: a recorded recall, asked again with another prompt or setting."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, given_path
from secondhop.cli.work import tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.evals.replay import Replay
    from secondhop.graph.trace import RecallTrace


def replay(
    common: Common,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A trace id, or a trace file.")],
    prompt: Annotated[
        list[Path] | None,
        typer.Option(
            parser=given_path, metavar="FILE", help="A prompt to use; may be given for each."
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting to change, like ranking.min_score=0.3."
        ),
    ] = None,
) -> None:
    """Ask a recorded question again, and show what changed.

    As it was asked: same time, same k, same settings but those you change, by --set, by a file
    of --settings, by --deadline or by --at.
    """
    from secondhop.cli.opening import named_llm, run
    from secondhop.cli.replay_view import show_replay

    if prompt:
        named_llm(common)
    found = run(replayed_trace(trace, common, prompts=prompt or [], changes=changes or []))
    tell(common, found.document(), lambda console: show_replay(found, console))


async def replayed_trace(
    trace: str, common: Common, *, prompts: list[Path], changes: list[str]
) -> "Replay":
    """The replay of a trace.

    Raises:
        UsageError: no such trace, a trace of another entity, or no such setting.
        PromptError: a file is faulty.
    """
    from secondhop.cli.opening import opened, prompts_in_force
    from secondhop.evals.replay import replayed
    from secondhop.evals.setting_changes import changed_settings
    from secondhop.prompts.templates import recall_replacement

    before = recorded(trace, common)
    changes = [*changes_of_options(common), *changes]
    settings = changed_settings(before.settings, changes)
    given = [recall_replacement(path) for path in prompts]
    in_force = prompts_in_force(common)
    async with opened(
        replace(common, entity=before.entity),
        counting=before.tokens is not None,
        prompts={**in_force, **{one.name: one for one in given}},
        settings=settings,
    ) as recall:
        other_k = "limits.k" in {change.partition("=")[0].strip() for change in changes}
        return await replayed(
            before, recall, k=settings.limits.k if other_k else None, at=common.at
        )


def changes_of_options(common: Common) -> list[str]:
    """The settings that --settings and --deadline change, "NAME=VALUE" each; the deadline last.

    The environment changes none: it was there, or was not, when the question was asked.

    Raises:
        UsageError: the file cannot be read, or holds no settings.
    """
    from secondhop.evals.setting_files import read_setting_changes

    changes = read_setting_changes(common.settings.expanduser()) if common.settings else []
    if common.deadline is not None:
        changes.append(f"limits.deadline_s={common.deadline}")
    return changes


def recorded(trace: str, common: Common) -> "RecallTrace":
    """The trace of that id or file.

    Raises:
        UsageError: there is none, or its entity is not the one that the options name.
    """
    from secondhop.cli.opening import kept_trace
    from secondhop.cli.recall_commands import as_path

    found = kept_trace(common, as_path(trace))
    if common.entity not in (None, found.entity):
        raise UsageError(
            f"trace {found.trace_id} is of entity {found.entity!r}, not of {common.entity!r}"
        )
    return found
