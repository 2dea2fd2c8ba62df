"""Prints cues."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean
from secondhop.memories.records import MemoryCues, StoredCue
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console


def show_list(cues: Sequence[StoredCue], console: "Console", *, titles: Mapping[str, str]) -> None:
    """Print the cues, grouped by memory; `titles` (or first words) by memory id."""
    memory_id = None
    for cue in cues:
        if cue.memory_id != memory_id:
            memory_id = cue.memory_id
            title = clean(titles.get(memory_id, ""))
            console.print(f"{clean(memory_id)}  {title}".rstrip(), style="bold")
        console.print(f"   {cue_line(cue)}")
    memories = len({cue.memory_id for cue in cues})
    console.print(f"{counted(len(cues), 'cue')} of {counted(memories, 'memory')}", style="dim")


def show_memory(told: MemoryCues, console: "Console") -> None:
    """Print a memory's role, what it replaces, and its cues."""
    role = f": {clean(told.role)}" if told.role else ""
    console.print(f"{clean(told.memory_id)}  {clean(told.title)}{role}", style="bold")
    if told.replaces:
        console.print(f"   said to replace {', '.join(map(clean, told.replaces))}")
    if told.replaced_by:
        console.print(f"   said to be replaced by {clean(told.replaced_by)}")
    for cue in told.cues:
        console.print(f"   {cue_line(cue)}")
    if not told.cues:
        more = "" if told.annotated else "; `secondhop annotate` lets a model write some"
        console.print(f"   no cues{more}")


def cue_line(cue: StoredCue) -> str:
    """A cue's text, who wrote it, and its id."""
    by = cue.model or cue.origin
    if cue.origin == "session":
        by = "proved by a session" if cue.proved > 0 else "voted against in a session"
    kind = "broad, " if cue.breadth == "broad" else ""
    return f"{clean(cue.text)}  ({kind}{clean(by)}, {clean(cue.cue_id)})"
