"""The commands that look after a whole memory: doctor, export, import, backup."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.errors import StoreError
from secondhop.interfaces.memory_commands import existing_path
from secondhop.interfaces.options import Common, given_path

if TYPE_CHECKING:
    from rich.console import Console

    from secondhop.doctor import Examination


def doctor(
    common: Common,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what needs no decision of yours.")
    ] = False,
) -> None:
    """Examine the memory: catalog, vectors, word index, links, doubles, contradictions.

    Exit status 1 when damage is left.
    """
    from secondhop.interfaces.opening import opened, run
    from secondhop.interfaces.terminal import print_json, screen

    async def work() -> "Examination":
        async with opened(common) as recall:
            return await recall.aexamine(fix=fix)

    told = run(work())
    if common.json:
        print_json(told.model_dump(mode="json") | {"sound": told.sound})
    else:
        show_examination(told, screen())
    if not told.sound:
        raise StoreError("damage is left; each finding names its cure")


def show_examination(told: "Examination", console: "Console") -> None:
    """A line a finding, with its cure and some examples."""
    from secondhop.interfaces.terminal import clean, shorten

    console.print(f"{told.memories} memories, {told.passages} passages: {', '.join(told.checks)}")
    for one in told.findings:
        state = "fixed" if one.fixed else one.weight
        style = "dim" if one.fixed else "bold" if one.weight == "damage" else None
        console.print(f"{state}: {one.check}: {one.count} {one.what}", style=style)
        for example in one.examples:
            console.print(f"   {shorten(example, 120)}", style="dim")
        if not one.fixed:
            console.print(f"   {clean(one.cure)}")
    if not told.findings:
        console.print("Nothing was found.")


def export(
    common: Common,
    file: Annotated[
        Path | None,
        typer.Argument(parser=given_path, metavar="[FILE]", help="[standard output]"),
    ] = None,
) -> None:
    """Write the whole memory as lines of JSON.

    With kinds, histories and counters; `import` reads it.
    """
    from secondhop.interfaces.opening import opened, run
    from secondhop.interfaces.terminal import notices, print_json

    async def work() -> int:
        async with opened(common) as recall:
            if file is not None:
                return await recall.aexport_to(file)
            lines = [line async for line in recall.aexport()]
        for line in lines:
            typer.echo(line)
        return len(lines) - 1

    count = run(work())
    if file is not None and common.json:
        print_json({"memories": count, "file": str(file)})
    else:
        notices().print(f"exported {count} memories")


def import_memories(
    common: Common,
    file: Annotated[Path, typer.Argument(parser=existing_path, metavar="FILE")],
) -> None:
    """Store what an export holds.

    What is stored already stays as it is.
    """
    from secondhop.interfaces.opening import opened, run
    from secondhop.interfaces.progress import bars
    from secondhop.interfaces.terminal import clean, print_json, screen

    async def work() -> None:
        with bars() as progress:
            async with opened(common, counting=True) as recall:
                told = await recall.aimport_from(file, progress=progress)
        if common.json:
            print_json(told.model_dump(mode="json"))
            return
        screen().print(f"read {told.read}: {told.stored} stored, {told.unchanged} unchanged")
        for memory_id in told.conflicts:
            screen().print(f"left as it is, for it says something else: {clean(memory_id)}")

    run(work())


def backup(
    common: Common,
    folder: Annotated[Path, typer.Argument(parser=given_path, metavar="DIR")],
) -> None:
    """Copy the store's catalogs while it is in use.

    Of all entities; `reindex` makes the vectors of the copy.
    """
    from secondhop.backup import back_up
    from secondhop.interfaces.opening import run, store_of
    from secondhop.interfaces.terminal import print_json, screen
    from secondhop.settings import load_settings

    told = run(back_up(store_of(common, load_settings()), folder))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        screen().print(f"{len(told.entities)} entities, {told.bytes:,} bytes in {told.folder}")
        screen().print(f"to use it: {told.restore}", style="dim")


CARE: Mapping[str, Callable[..., None]] = {
    "doctor": doctor,
    "export": export,
    "import": import_memories,
    "backup": backup,
}
"""Commands of this file by their names on the command line."""
