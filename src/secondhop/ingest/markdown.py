"""Markdown notes: a memory each, whose id is the file's path below the given folder, and where the
file holds several, an anchor: `journal.md#2026-11-02`."""

import re
from collections.abc import Iterator
from typing import cast

import yaml

from secondhop.ingest.anchors import anchor_of
from secondhop.ingest.dates import (
    date_in,
    date_of_line,
    order_in,
    parse_date,
    read_day_first,
    unread_date,
)
from secondhop.ingest.markdown_blocks import sections_of
from secondhop.ingest.markdown_notes import Note, notes_in, sections_below_the_top
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.stores.records import Memory, Message

MANY_SECTIONS = 6
"""From so many sections on, a file that became one memory is named in the ledger."""

ONE_MEMORY = (
    "one memory of many sections; if they have little to do with each other, begin each with a "
    "single #, and each becomes a memory"
)

_TITLE_KEYS = ("title", "name")
_DATE_KEYS = ("date", "created", "created_at")
_MAX_FRONT_MATTER = 16_384
_TAG_KEYS = ("tags", "tag")
_BETWEEN_TAGS = re.compile(r"[,\s]+")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_TAG = re.compile(r"(?<![\w/#&\[(])#([\w/-]*[^\W\d][\w/-]*)")
_LINK = re.compile(r"\[\[([^\[\]|#^]+)")


def read_markdown(document: Document) -> Iterator[Found | Skipped]:
    """The notes of a file, each as one memory; Skipped if it is empty.

    The title of a file that is one note comes from the front matter, the first heading or the file
    name, in this order; a file name that is only a date, as in journals, is no title. Of several
    notes in one file, the titles are `file name: heading`. The date comes from such a heading, the
    front matter, the file name or the time of the last change.
    """
    front, body = split_front_matter(document.text)
    if not body.strip():
        yield Skipped(document.item, "an empty note")
        return
    stated = [text for key in _DATE_KEYS if (text := front.get(key, "").strip())]
    dates = [*map(parse_date, stated), date_in(document.name)]
    if stated and not any(dates[:-1]):
        yield Skipped(document.item, unread_date(stated[0]), is_notice=True)
    given = next((title for key in _TITLE_KEYS if (title := front.get(key, "").strip())), "")
    name = "" if date_of_line(document.stem) else document.stem
    notes = list(notes_in(body, may_split=not front))
    if len(notes) == 1 and not front and sections_below_the_top(body) >= MANY_SECTIONS:
        yield Skipped(document.item, ONE_MEMORY, is_notice=True)
    guessed = [note.heading for note in notes if note.day and not date_in(note.heading)]
    if guessed and order_in(note.heading for note in notes) is None:
        yield Skipped(document.item, read_day_first(guessed[0]), is_notice=True)
    for note in notes:
        possible = [note.day, *dates]
        memory = Memory(
            memory_id=document.path,
            title=_title(note, given=given, name=name),
            source="note",
            created_at=next((date for date in possible if date), document.modified_at),
            messages=(Message("user", note.text),),
            origin=document.origin,
            tags=tags_of(front, f"{note.heading}\n{note.text}"),
        )
        yield Found(
            memory=memory,
            item=document.item,
            named_by_path=True,
            anchor=anchor_of(note.heading),
        )


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """(front matter with lower-case keys, the rest); all is text if front matter does not parse."""
    if not text.startswith("---\n"):
        return {}, text
    for closing in ("\n---\n", "\n...\n"):
        block, found, rest = text[3:_MAX_FRONT_MATTER].partition(closing)
        if found:
            front = _parse(block)
            return ({}, text) if front is None else (front, rest + text[_MAX_FRONT_MATTER:])
    return {}, text


def _parse(block: str) -> dict[str, str] | None:
    try:  # BaseLoader builds only text, lists and mappings
        front: object = yaml.load(block, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if front is None or front == "":
        return {}
    if not isinstance(front, dict):
        return None
    fields = cast("dict[object, object]", front)
    return {
        name: text
        for key, value in fields.items()
        if (text := _text(name := str(key).lower(), value))
    }


def _text(key: str, value: object) -> str:
    if key in _TAG_KEYS and isinstance(value, list):
        return " ".join(str(one) for one in cast("list[object]", value))
    return value if isinstance(value, str) else ""


def tags_of(front: dict[str, str], body: str) -> tuple[str, ...]:
    """Tags of the front matter, `#tags` in the text (both without "#"), and `[[links]]`."""
    named = [one for key in _TAG_KEYS for one in _BETWEEN_TAGS.split(front.get(key, ""))]
    prose = _CODE.sub(" ", body)
    links = (f"[[{name.strip()}]]" for name in _LINK.findall(prose))
    found = [*(one.lstrip("#") for one in named), *_TAG.findall(prose), *links]
    return tuple(dict.fromkeys(one for one in found if one))


def _title(note: Note, *, given: str, name: str) -> str:
    """`given`: the title in the front matter; `name`: the file's."""
    if note.heading:
        return ": ".join(one for one in (given or name, note.heading) if one)
    first = next((section.path[-1] for section in sections_of(note.text) if section.path), "")
    return given or first or name
