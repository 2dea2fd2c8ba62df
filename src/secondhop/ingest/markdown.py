"""Markdown notes: a file is one note, whose id is its path below the folder that was given."""

from collections.abc import Iterator
from typing import cast

import yaml

from secondhop.ingest.dates import date_in_name, parse_date
from secondhop.ingest.markdown_blocks import sections_of
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.stores.records import Memory, Message

_TITLE_KEYS = ("title", "name")
_DATE_KEYS = ("date", "created", "created_at")
_MAX_FRONT_MATTER = 16_384


def read_markdown(document: Document) -> Iterator[Found | Skipped]:
    """The note. Title: front matter, first heading, file name. Date: front matter, name, mtime."""
    front, body = split_front_matter(document.text)
    if not body.strip():
        yield Skipped(document.item, "an empty note")
        return
    dates = [parse_date(front.get(key)) for key in _DATE_KEYS]
    memory = Memory(
        memory_id=document.path,
        title=_title(front, body) or document.stem,
        source="note",
        created_at=next(
            (date for date in [*dates, date_in_name(document.name)] if date), document.modified_at
        ),
        messages=(Message("user", body),),
        origin=document.origin,
    )
    yield Found(memory=memory, item=document.item, named_by_path=True)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """(front matter with lower-case keys, the rest); what does not parse stays in the text."""
    if not text.startswith("---\n"):
        return {}, text
    for closing in ("\n---\n", "\n...\n"):
        block, found, rest = text[3:_MAX_FRONT_MATTER].partition(closing)
        if found:
            front = _parse(block)
            return ({}, text) if front is None else (front, rest + text[_MAX_FRONT_MATTER:])
    return {}, text


def _parse(block: str) -> dict[str, str] | None:
    try:  # BaseLoader builds nothing but text, lists and mappings
        front: object = yaml.load(block, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if front is None or front == "":
        return {}
    if not isinstance(front, dict):
        return None
    fields = cast("dict[object, object]", front)
    return {str(key).lower(): value for key, value in fields.items() if isinstance(value, str)}


def _title(front: dict[str, str], body: str) -> str:
    named = (front.get(key, "").strip() for key in _TITLE_KEYS)
    headings = (section.path[-1] for section in sections_of(body) if section.path)
    return next((title for title in named if title), "") or next(headings, "")
