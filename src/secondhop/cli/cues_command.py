"""`secondhop cues`: show, add, import and remove cues."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun, given_path
from secondhop.cli.terminal import shorten
from secondhop.cli.work import in_memory, in_stored_memory, tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

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
    file: Annotated[
        Path | None,
        typer.Option(
            "--import",
            parser=given_path,
            metavar="FILE",
            help="Store the cues in FILE, a line for each memory: id, cues, broad, role, replaces.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Show, add, import or remove the cues of memories.

    Without MEMORY: the cues of all memories.
    """
    if sum(one is not None for one in (add, remove, file)) > 1:
        raise UsageError("--add, --remove and --import are different changes; make one at a time")
    if file is not None:
        import_cues(common, memory, file, dry_run=dry_run)
    elif add is not None:
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


def import_cues(common: Common, memory: str | None, file: Path, *, dry_run: bool) -> None:
    """Store the cues in a file for the memories that it names, and print how many got some.

    Raises UsageError if nothing in it could be stored.
    """
    if memory is not None:
        raise UsageError("--import takes no MEMORY; the lines of the file name their memories")

    from secondhop.cli.ledger_view import show_entries
    from secondhop.evals.scenario import CueLine, check_ids, read_lines
    from secondhop.ingest.reading import Skipped
    from secondhop.wording import counted

    lines = [line for _, line in read_lines(file, CueLine)]
    check_ids(file, [line.id for line in lines])

    async def work(recall: "Recall") -> "tuple[int, list[Skipped]]":
        changed, skipped = 0, list[Skipped]()
        for line in lines:
            given = line.model_dump(exclude={"id"}, exclude_unset=True)
            try:
                changed += await recall.memories.cues.aset(line.id, **given, dry_run=dry_run)
            except UsageError as error:
                skipped.append(Skipped(line.id, str(error)))
        if len(skipped) == len(lines):
            raise UsageError(
                f"no line of {file} could be imported for entity {recall.admin.services.entity!r}; "
                f"the first is about {skipped[0].item!r}: {skipped[0].reason}"
            )
        return changed, skipped

    changed, skipped = in_stored_memory(common, work)
    told = {
        "read": len(lines),
        "changed": changed,
        "unchanged": len(lines) - changed - len(skipped),
        "skipped": [{"item": one.item, "reason": one.reason} for one in skipped],
        "dry_run": dry_run,
    }

    def shown(console: "Console") -> None:
        done = "would get" if dry_run else "got"
        counts = f"{told['unchanged']} unchanged, {len(skipped)} skipped"
        console.print(f"{counted(changed, 'memory')} {done} cues, {counts}")
        show_entries("skipped ", skipped, console)

    tell(common, told, shown)


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
