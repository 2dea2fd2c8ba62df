"""`secondhop cues`: show, add and remove cues."""

from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun
from secondhop.cli.terminal import shorten
from secondhop.cli.work import in_memory, in_stored_memory, tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.memories.records import MemoryCues, StoredCue
    from secondhop.recall import Recall

_PAGE = 1000


def cues(
    common: Common,
    memory: Annotated[
        str | None,
        typer.Argument(metavar="[MEMORY]", help="Its id or title; to show it, also words in it."),
    ] = None,
    add: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A request for which the memory matters.")
    ] = None,
    broad: Annotated[
        bool, typer.Option("--broad", help='It is a broad cue, like "plan a dinner".')
    ] = False,
    remove: Annotated[
        str | None, typer.Option(metavar="CUE_ID", help="Remove that cue; the memory stays.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Show what memories were stored for; add or remove a cue.

    Without MEMORY: the cues of all memories.
    """
    if add is not None and remove is not None:
        raise UsageError("--add and --remove are two changes; make one at a time")
    if add is not None:
        add_cue(common, memory, add, broad=broad, dry_run=dry_run)
    elif remove is not None:
        removed = in_memory(
            common, lambda recall: recall.memories.cues.aremove(remove, dry_run=dry_run)
        )
        tell_change(common, removed, done="would remove" if dry_run else "removed")
    elif memory is not None:
        show_memory_cues(common, memory)
    else:
        list_cues(common)


def add_cue(common: Common, memory: str | None, text: str, *, broad: bool, dry_run: bool) -> None:
    """Add a cue to a memory."""
    if memory is None:
        raise UsageError("--add needs the memory that the cue is of")

    from secondhop.memories.finding import TITLE, id_of

    async def work(recall: "Recall") -> "tuple[StoredCue, bool]":
        memory_id = await id_of(recall.memories, memory, at_most=TITLE)
        known = {one.cue_id for one in await recall.memories.cues.alist(memory_id)}
        cue = await recall.memories.cues.aadd(memory_id, text, broad=broad, dry_run=dry_run)
        return cue, cue.cue_id in known

    cue, known = in_memory(common, work)
    done = "would add" if dry_run else "added"
    tell_change(common, cue, done="it has this cue already:" if known else done)


def tell_change(common: Common, cue: "StoredCue", *, done: str) -> None:
    """Print what was done to which cue."""
    from secondhop.cli.cues_view import cue_line

    tell(common, cue, lambda console: console.print(f"{done} {cue_line(cue)}"))


def show_memory_cues(common: Common, memory: str) -> None:
    """Print the cues of one memory."""
    from secondhop.cli.cues_view import show_memory
    from secondhop.memories.finding import id_of

    async def work(recall: "Recall") -> "MemoryCues":
        return await recall.memories.cues.ashow(await id_of(recall.memories, memory))

    told = in_memory(common, work)
    tell(common, told, lambda console: show_memory(told, console))


def list_cues(common: Common) -> None:
    """Print the cues of all memories."""
    from secondhop.cli.cues_view import show_list

    async def all_cues(recall: "Recall") -> "tuple[list[StoredCue], dict[str, str]]":
        found, after = list["StoredCue"](), ""
        while page := await recall.memories.cues.alist(after=after, limit=_PAGE):
            found += page
            after = page[-1].cue_id
        cards = await recall.admin.store.cards(list({one.memory_id for one in found}))
        return found, {one: shorten(card.title, 60) for one, card in cards.items()}

    found, titles = in_stored_memory(common, all_cues)
    document = {"cues": [cue.model_dump(mode="json") for cue in found]}
    tell(common, document, lambda console: show_list(found, console, titles=titles))
