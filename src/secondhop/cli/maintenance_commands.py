"""Commands for whole entities: stats, doctor, reindex, export, import, copy, delete-entity."""

import json
import sys
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from secondhop.cli.ingest_command import existing_path
from secondhop.cli.options import (
    Common,
    DryRun,
    ExportFile,
    SessionsPlace,
    given_entity,
    given_store,
)
from secondhop.cli.progress import bars
from secondhop.cli.terminal import clean, notices, print_json, shorten
from secondhop.cli.work import in_memory, in_stored_memory, tell
from secondhop.errors import StoreError, UsageError
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.memories.copying import Copied
    from secondhop.memories.delete_entity import DeletedEntity
    from secondhop.memories.doctor import Examination
    from secondhop.memories.export import Imported
    from secondhop.memories.other_formats import OtherFormat
    from secondhop.recall import Recall


def doctor(
    common: Common,
    fix: Annotated[bool, typer.Option("--fix", help="Repair what needs no decision.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Check what is stored of an entity, and repair it.

    Checks catalog, vectors, counters, duplicates and contradictions. The exit status is 1 if damage
    remains.
    """
    from secondhop.cli.opening import unknown_entity

    async def work(recall: "Recall") -> "Examination":
        told = await recall.admin.adoctor(fix=fix and not dry_run, progress=progress)
        if not (told.memories or told.findings):  # an unknown entity: nothing is stored
            raise unknown_entity(common)
        return told

    with bars() as progress:
        told = in_memory(common, work, mending=True)
    tell(
        common,
        told.model_dump(mode="json") | {"sound": told.sound},
        lambda console: show_examination(told, console, would_fix=fix and dry_run),
        dry_run=dry_run,
    )
    if not told.sound:
        raise StoreError("damage remains; each finding says how to repair it")


def show_examination(told: "Examination", console: "Console", *, would_fix: bool = False) -> None:
    """Print one line per finding, with examples and the cure."""
    memories = counted(told.memories, "memory")
    passages = counted(told.passages, "passage")
    console.print(f"{memories}, {passages}: {', '.join(told.checks)}")
    for one in told.findings:
        would = would_fix and one.fixable
        state = "fixed" if one.fixed else "would be fixed" if would else one.weight
        style = "dim" if one.fixed else "bold" if one.weight == "damage" else None
        console.print(f"{state}: {one.check}: {one.count} {one.what}", style=style)
        for example in one.examples:
            console.print(f"   {shorten(example, 120)}", style="dim")
        if not one.fixed:
            console.print(f"   {clean(one.cure)}")
    if not told.findings:
        console.print("No problem was found.")


def export(
    common: Common,
    file: ExportFile = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="For another library: mem0 or langmem. [our own]"),
    ] = None,
) -> None:
    """Write all memories of an entity as lines of JSON.

    Includes kinds, histories, earlier texts and counters; `import` reads it. For other libraries it
    writes only what is true now, as text.
    """
    from secondhop.cli.opening import entities_of, unknown_entity
    from secondhop.memories.export import FRAME

    async def work(recall: "Recall") -> int:
        gone = unknown_entity(common)  # a known entity without memories has an empty export
        if gone.entity not in await entities_of(common, filled=False):
            raise gone
        if format is not None:
            return await written_for(format, recall, file)
        if file is not None:
            return await recall.admin.aexport_to(file)
        lines = [line async for line in recall.admin.aexport()]
        for line in lines:
            typer.echo(line)
        return len(lines) - FRAME

    count = in_memory(common, work)
    if file is not None and common.json:
        print_json({"memories": count, "file": str(file)})
    else:
        notices().print(f"exported {counted(count, 'memory')}")


async def written_for(format: str, recall: "Recall", file: Path | None) -> int:
    """Write the memories in another library's format; returns their number."""
    from secondhop.memories.export_file import write_lines

    document = await recall.admin.aexport_as(cast("OtherFormat", format))
    text = json.dumps(document, indent=1)
    if file is None:
        typer.echo(text)
    else:
        write_lines(file, [text])
    rows = document["results"] if format == "mem0" else document
    return len(rows)


def import_memories(
    common: Common,
    file: Annotated[Path, typer.Argument(parser=existing_path, metavar="FILE")],
    dry_run: DryRun = False,
) -> None:
    """Store the memories of an export.

    Memories already stored stay as they are.
    """

    with bars() as progress:
        told = in_memory(
            common,
            lambda recall: recall.admin.aimport_from(file, progress=progress, dry_run=dry_run),
            counting=True,
        )
    if told.notice:
        notices().print(clean(told.notice))
    tell(common, told, lambda console: show_imported(told, console))


def show_imported(told: "Imported", console: "Console") -> None:
    """Print counts, and the memories that were left as they are."""
    would = "would be " if told.dry_run else ""
    console.print(f"read {told.read}: {told.stored} {would}stored, {told.unchanged} unchanged")
    for memory_id in told.conflicts:
        console.print(f"left as it is, because it says something else: {clean(memory_id)}")


def copy(
    common: Common,
    to: Annotated[
        str, typer.Argument(metavar="TARGET", help="The other store: a folder, or postgresql://…")
    ],
    to_chroma: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A Chroma server for the copy's vectors."),
    ] = None,
) -> None:
    """Copy memories into another store.

    Copies all entities, or the one of --entity or SECONDHOP_ENTITY, with vectors and everything
    learned. The store of --store may be in use. The copy is compared with it; after an
    interruption, run it again.
    """
    from secondhop.cli.opening import directory_of, named_entity, run
    from secondhop.memories.copying import copied

    place = given_store(to)
    named = named_entity(common)
    chosen = [named] if named else None

    async def work() -> "Copied":
        async with aclosing(directory_of(common)) as home:
            return await copied(home, place, chroma_url=to_chroma, entities=chosen)

    told = run(work())
    tell(common, told, lambda console: show_copied(told, console))


def show_copied(told: "Copied", console: "Console") -> None:
    """Print one line per entity."""
    for one in told.entities:
        rest = f", {counted(one.vectors, 'vector')}, {counted(one.traces, 'trace')}"
        done = "there already" if one.was_there else f"copied and compared{rest}"
        console.print(f"{clean(one.entity)}: {counted(one.memories, 'memory')} {done}")


def delete_entity(
    common: Common,
    name: Annotated[str, typer.Argument(parser=given_entity, metavar="ENTITY")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    sessions: SessionsPlace = None,
    dry_run: DryRun = False,
) -> None:
    """Delete everything that the store keeps of an entity.

    Asks first. Other programs may have it open; other entities are not touched.
    """
    from secondhop.cli.opening import run, server_of, store_of
    from secondhop.memories.delete_entity import adelete_entity
    from secondhop.settings import load_settings

    if common.entity not in (None, name):
        raise UsageError(f"--entity {common.entity} and ENTITY {name} differ; name one")

    def deleted(*, dry_run: bool) -> "DeletedEntity":
        work = adelete_entity(
            store_of(common),
            name,
            chroma_url=server_of(common),
            sessions=sessions or load_settings().sessions,
            dry_run=dry_run,
        )
        return run(work)

    if not (yes or dry_run) and not confirmed(f"delete {deleted_words(deleted(dry_run=True))}"):
        notices().print("nothing was deleted")
        raise typer.Exit(1)
    gone = deleted(dry_run=dry_run)
    done = f"{'would delete' if dry_run else 'deleted'} {deleted_words(gone)}"
    tell(common, gone, lambda console: console.print(done))


def confirmed(what: str) -> bool:
    """Ask the person at the terminal whether to go on."""
    if not sys.stdin.isatty():
        raise UsageError(
            f"this would {what}; there is no terminal to ask on: give --yes, or --dry-run"
        )
    return typer.confirm(f"This cannot be undone: {what}?", err=True)


def deleted_words(gone: "DeletedEntity") -> str:
    """ "mara: 12 memories, 9 files, 120,401 bytes and its vectors"."""
    memories = "a catalog that cannot be read"
    if gone.memories is not None:
        memories = counted(gone.memories, "memory")
    files = f"{counted(gone.files, 'file')}, {gone.bytes:,} bytes"
    return f"{clean(gone.entity)}: {memories}, {files} and its vectors"


def stats(common: Common) -> None:
    """Show what is stored for an entity."""

    async def work(recall: "Recall") -> dict[str, object]:
        return asdict(await recall.memories.acounts())

    counts = in_stored_memory(common, work)
    lines = [
        f"{name.replace('_', ' ')}: {'unknown' if count is None else clean(str(count))}"
        for name, count in counts.items()
        if name != "schema_version"  # numbered differently in each kind of store
    ]
    tell(common, counts, lambda console: console.print("\n".join(lines), soft_wrap=True))


def reindex(common: Common, dry_run: DryRun = False) -> None:
    """Embed and index all memories again.

    For another embedding model, or after the index was damaged; nothing stored is lost. Reindexes
    every entity of the store, or the one of --entity or SECONDHOP_ENTITY.
    """
    from secondhop.cli.opening import rebuild, run

    with bars() as progress:
        done = run(rebuild(common, progress=progress, dry_run=dry_run))
    would = "would be " if dry_run else ""
    lines = [
        f"{clean(entity)}: {counted(passages, 'passage')} {would}embedded and indexed again"
        for entity, passages in done.items()
    ]
    told = {"entities": done}
    tell(common, told, lambda console: console.print("\n".join(lines)), dry_run=dry_run)
