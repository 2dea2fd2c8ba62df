"""Which notes a Markdown file holds: the file as a whole, or one under each of some headings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from secondhop.ingest.dates import date_in, order_in
from secondhop.ingest.markdown_blocks import Block, blocks_of, title_of


@dataclass(frozen=True, slots=True)
class Note:
    """One note of a file."""

    heading: str
    """"" if the file is one note, and for the text above the first heading."""
    text: str
    day: datetime | None = None
    """The date in the heading."""


def notes_in(body: str, *, may_split: bool) -> Iterator[Note]:
    """The file as one note, or each entry of a journal, or each section under a `#` heading.

    A journal has at least two headings of one level that hold a date. Sections under `#` are notes
    if there are at least two, most of them under different headings, and the file `may_split`:
    front matter, for example, says that it is one note (but a journal may have it). A heading that
    became a title is no part of the text.
    """
    blocks = list(blocks_of(body))
    level = _level_of_notes([one for one in blocks if one.level], may_split=may_split)
    if not level:
        yield Note("", body)
        return
    parts = list(_parts(blocks, level))
    headings = [title_of(part[0].text) if part[0].level else "" for part in parts]
    day_first = order_in(headings) is not False  # as in chats, if no heading decides
    for part, heading in zip(parts, headings, strict=True):
        text = "\n\n".join(one.text for one in (part[1:] if heading else part))
        yield Note(heading, text or heading, date_in(heading, day_first=day_first))


def sections_below_the_top(body: str) -> int:
    """How many headings, of the level below `#` that has most."""
    levels = Counter(one.level for one in blocks_of(body) if one.level > 1)
    return max(levels.values(), default=0)


def _level_of_notes(headings: Sequence[Block], *, may_split: bool) -> int:
    """The level whose headings begin a note; 0 if the file is one note."""
    for level in sorted({one.level for one in headings}):
        titles = [title_of(one.text) for one in headings if one.level == level]
        if sum(date_in(one, day_first=True) is not None for one in titles) > 1:
            return level
    top = [title_of(one.text) for one in headings if one.level == 1]
    return 1 if may_split and len(top) > 1 and 2 * len(set(top)) > len(top) else 0


def _parts(blocks: Sequence[Block], level: int) -> Iterator[list[Block]]:
    """The blocks from each heading of this level, or above it, to the next; a part above the level
    counts only with text of its own (not "# 2026" above the days of a year)."""
    starts = [at for at, block in enumerate(blocks) if 0 < block.level <= level]
    for start, end in zip([0, *starts], [*starts, len(blocks)], strict=True):
        part = list(blocks[start:end])
        if part and (part[0].level == level or not all(one.level for one in part)):
            yield part
