"""Prints changes to single memories, and lists and histories of memories."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.cues_view import cue_line
from secondhop.cli.terminal import clean, shorten
from secondhop.graph.result import Frozen
from secondhop.headings import without_heading_signs
from secondhop.ingest.reading import is_named
from secondhop.memories.records import Forgotten, Kept, MemoryHistory, StoredFact, Version
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console


def show_done(told: Frozen, console: "Console") -> None:
    """Print one line for a change, or the versions and events of a history."""
    match told:
        case Kept():
            console.print(kept_line(told))
        case Forgotten():
            console.print(forgotten_line(told))
        case MemoryHistory():
            show_history(told, console)
        case _:
            raise TypeError(type(told).__name__)


def kept_line(kept: Kept) -> str:
    """ "remembered m-7, which supersedes m-3"."""
    line = f"{kept.done} {clean(kept.memory_id)}"
    if kept.supersedes:
        line += f", which supersedes {', '.join(map(clean, kept.supersedes))}"
    if kept.superseded_by:
        line += f", superseded by {clean(kept.superseded_by)}"
    if kept.notice:
        line += f"; {clean(kept.notice)}"
    return f"dry run: {line}" if kept.dry_run else line


def forgotten_line(gone: Forgotten) -> str:
    """What was deleted, and whether traces of it may be left."""
    ids = ", ".join(map(clean, gone.memory_ids))
    line = f"{ids}: {counted(gone.passages, 'passage')} and {counted(gone.traces, 'trace')}"
    back = "".join(
        f"; `ingest` of {clean(one)} brings it back unless it is deleted there, too"
        for one in gone.still_in
    )
    if gone.repeated_in:
        back += (
            f"; also said, it seems, in {', '.join(map(clean, gone.repeated_in))}, not forgotten"
        )
    if gone.dry_run:
        return f"would forget {line}{back}"
    late = "" if gone.complete else "; another process is reading: forget again when it is done"
    left = "" if gone.vectors_complete else "; the files of the vectors may still hold its vectors"
    return f"forgot {line}{late}{left}{back}"


def show_history(story: MemoryHistory, console: "Console") -> None:
    """Print every version, then every event, then the cues."""
    for version in story.versions:
        holds = version.end or "valid"
        line = f"{version.created_at:%Y-%m-%d}  {clean(version.memory_id)}  {clean(holds)}"
        console.print(line, style="dim" if version.end else "bold")
        console.print(f"   {shorten(without_heading_signs(version.text), 160)}")
    for event in story.events:
        other = f" ({clean(event.other_id)})" if event.other_id else ""
        detail = f": {clean(event.detail)}" if event.detail else ""
        line = f"{event.at:%Y-%m-%d %H:%M}  {clean(event.memory_id)} {event.act}{other}{detail}"
        console.print(line, style="dim")
    for cue in story.cues:
        console.print(f"{clean(cue.memory_id)} was stored for: {cue_line(cue)}", style="dim")


def listed(version: Version) -> dict[str, str]:
    """A memory as `list --json` prints it."""
    known = version.model_dump(mode="json")
    return {name: known[name] for name in ("memory_id", "title", "created_at", "end")}


def show_list(found: Sequence[Version], console: "Console") -> None:
    """Print one line per memory: date, id, title or first paragraph, and why it no longer holds."""
    for one in found:
        title = one.title if is_named(one.title) else first_paragraph(one.text)
        ended = f"  ({clean(one.end)})" if one.end else ""
        line = f"{one.created_at:%Y-%m-%d}  {clean(one.memory_id)}  {shorten(title, 80)}{ended}"
        console.print(line, style="dim" if one.end else None, soft_wrap=True)
    if not found:
        console.print("No memory has these words.")


def first_paragraph(text: str) -> str:
    """What a text begins with; of a conversation the first message, with who says it."""
    return without_heading_signs(text).strip().partition("\n\n")[0]


def show_facts(found: Sequence[StoredFact], console: "Console") -> None:
    """Print one line per fact."""
    for fact in found:
        named = f"{clean(fact.subject)}, {clean(fact.attribute)}: {clean(fact.value)}"
        console.print(f"{named}  (since {fact.since:%Y-%m-%d}, {clean(fact.memory_id)})")
    if not found:
        console.print("No such fact is known.")
