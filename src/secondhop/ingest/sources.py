"""Reads everything below one path, lazily."""

import logging
from collections.abc import Iterator
from dataclasses import replace

from secondhop.ingest.anchors import named
from secondhop.ingest.cleaning import clean_memory, says_nothing
from secondhop.ingest.dates import date_in, unread_date
from secondhop.ingest.detect import is_expected_suffix, reader_of
from secondhop.ingest.reading import Document, Found, Skipped, UnreadableError
from secondhop.ingest.stored import NOTHING, Stored
from secondhop.ingest.walk import Source, Walker

logger = logging.getLogger(__name__)


def read_source(
    source: Source, *, walker: Walker, given: str | None, stored: Stored = NOTHING
) -> Iterator[Found | Skipped]:
    """Cleaned memories, and Skipped for each item or file that could not be read.

    `stored`: what the parts of a file have their ids from, if they are stored already.
    """
    for document in walker.documents(source):
        if isinstance(document, Skipped):
            yield document
            continue
        by_user = document.path == (source.below or source.path.name)
        parts = list[Found]()
        try:
            reader = reader_of(document, given=given, named_by_user=by_user)
            for read in reader(document):
                entry = read if isinstance(read, Skipped) else cleaned(dated(read, document))
                if isinstance(entry, Found) and entry.named_by_path:
                    parts.append(entry)
                else:
                    yield entry
            if lost := document.encoding.lost:
                yield Skipped(document.item, _lost(lost), is_notice=True)
        except UnreadableError as error:
            hides = error.may_hide_memories and (by_user or is_expected_suffix(document.suffix))
            yield Skipped(document.item, error.reason, may_hide_memories=hides)
        except Exception as error:  # a hostile file may break a reader in any way
            logger.debug("a reader failed", exc_info=True)
            reason = f"cannot be read ({type(error).__name__}: {str(error)[:200]})"
            yield Skipped(document.item, reason, may_hide_memories=True)
        yield from named(parts, document, stored=stored)
        if any(one.dated_by_file for one in parts) and date_in(document.stem, day_first=True):
            yield Skipped(document.item, unread_date(document.stem), is_notice=True)


def _lost(characters: int) -> str:
    what = "1 character" if characters == 1 else f"{characters} characters"
    return f"read, but {what} could not be decoded (now \ufffd); save it as UTF-8"


def dated(found: Found, document: Document) -> Found:
    """The memory, marked if the file's last change is all that dates it."""
    return replace(found, dated_by_file=found.memory.created_at == document.modified_at)


def cleaned(found: Found) -> Found | Skipped:
    """The memory with clean texts; Skipped if it has no message with text."""
    memory = clean_memory(found.memory)
    if says_nothing(memory):
        return Skipped(found.item, "empty: no message with text")
    return replace(found, memory=memory)
