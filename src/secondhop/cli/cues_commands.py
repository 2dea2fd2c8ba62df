"""`secondhop cues …`: what memories were stored for."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from secondhop.cli.options import Common, DryRun

if TYPE_CHECKING:
    from secondhop.memories.cues import Cues
    from secondhop.memories.records import StoredCue

T = TypeVar("T")
_PAGE = 1000

MemoryId = Annotated[str, typer.Argument(metavar="MEMORY_ID")]


def list_cues(
    common: Common,
    memory_id: Annotated[str | None, typer.Argument(metavar="[MEMORY_ID]")] = None,
) -> None:
    """List the cues of all memories, or of one."""
    from secondhop.cli.cues_view import show_list
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    async def work(cues: "Cues") -> "list[StoredCue]":
        if memory_id is not None:
            return [*await cues.alist(memory_id)]
        found, after = list["StoredCue"](), ""
        while page := await cues.alist(after=after, limit=_PAGE):
            found += page
            after = page[-1].cue_id
        return found

    told = run(of_cues(common, work))
    if common.json:
        print_json({"cues": [cue.model_dump(mode="json") for cue in told]})
    else:
        show_list(told, screen())


def show_cues(common: Common, memory_id: MemoryId) -> None:
    """Show what one memory was stored for."""
    from secondhop.cli.cues_view import show_memory
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    told = run(of_cues(common, lambda cues: cues.ashow(memory_id)))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        show_memory(told, screen())


def add_cue(
    common: Common,
    memory_id: MemoryId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A request for which it matters.")],
    broad: Annotated[
        bool, typer.Option("--broad", help='It is a usual undertaking: "plan a dinner".')
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Add a request for which a memory will matter."""
    change(
        common,
        lambda cues: cues.aadd(memory_id, text, broad=broad, dry_run=dry_run),
        done="would add" if dry_run else "added",
    )


def remove_cue(
    common: Common,
    cue_id: Annotated[str, typer.Argument(metavar="CUE_ID", help="As `cues list` shows it.")],
    dry_run: DryRun = False,
) -> None:
    """Remove a cue; the memory stays."""
    change(
        common,
        lambda cues: cues.aremove(cue_id, dry_run=dry_run),
        done="would remove" if dry_run else "removed",
    )


def change(common: Common, work: "Callable[[Cues], Awaitable[StoredCue]]", *, done: str) -> None:
    """Do it, and tell what was done to which cue."""
    from secondhop.cli.cues_view import cue_line
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    told = run(of_cues(common, work))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        screen().print(f"{done} {cue_line(told)}")


async def of_cues(common: Common, work: "Callable[[Cues], Awaitable[T]]") -> T:
    """What the work brings in the opened memory."""
    from secondhop.cli.opening import opened

    async with opened(common) as recall:
        return await work(recall.cues)
