"""Detects the format of a document from its name and content."""

import re
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from secondhop.errors import UsageError
from secondhop.ingest.chatgpt import read_chatgpt
from secondhop.ingest.claude import read_claude
from secondhop.ingest.cues_file import CUES_FILE, MEMORIES_FILE
from secondhop.ingest.graphiti import is_graphiti_row, read_graphiti
from secondhop.ingest.json_text import JsonObject, text_at
from secondhop.ingest.jsonl import TEXT_FIELDS, is_export, read_jsonl
from secondhop.ingest.langgraph_items import is_item_row, read_items
from secondhop.ingest.markdown import read_markdown
from secondhop.ingest.mem0 import is_mem0_row, read_mem0
from secondhop.ingest.reading import Document, Reader, UnreadableError
from secondhop.ingest.rows import LINES_SUFFIXES, Row, rows_in
from secondhop.ingest.transcript import is_transcript, read_transcript

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "chatgpt": read_chatgpt,
        "claude": read_claude,
        "markdown": read_markdown,
        "transcript": read_transcript,
        "scenario": read_jsonl,
        "mem0": read_mem0,
        "langgraph": read_items,
        "graphiti": read_graphiti,
        "jsonl": read_jsonl,
    }
)
_MARKDOWN = frozenset({".md", ".markdown", ".mdown"})
_PLAIN = frozenset({".txt", ".text", ".log", ""})
_JSON = LINES_SUFFIXES | {".json"}
_NOT_JSON = {"markdown": _MARKDOWN, "transcript": _PLAIN}
"""{format: its suffixes}; all other formats are JSON."""
_BESIDE_CONVERSATIONS = frozenset(
    {
        "chat.html",
        "message_feedback.json",
        "model_comparisons.json",
        "shared_conversations.json",
        "user.json",
    }
)
_NEVER_TEXT = re.compile(
    r"\.(7z|avi|bin|bmp|db|dll|docx?|exe|gif|gz|heic|ico|jpe?g|m4a|mkv|mov|mp[34]|npy|ogg|onnx|otf|"
    r"parquet|pdf|pickle|png|pptx?|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|"
    r"xlsx?|xz|zst)"
)


_MEMORY_STORES = {"mem0": is_mem0_row, "langgraph": is_item_row, "graphiti": is_graphiti_row}


def formats_known() -> str:
    """The names of the formats, for messages."""
    return ", ".join(READERS)


def check_format(name: str | None) -> None:
    """Raises UsageError for an unknown format; None (detect it) is valid."""
    if name is not None and name not in READERS:
        raise UsageError(f"unknown format {name!r}; choose one of {formats_known()}")


def is_expected_suffix(suffix: str) -> bool:
    """Whether files with this suffix usually hold memories."""
    return suffix in _MARKDOWN | _PLAIN | _JSON


def reader_of(document: Document, *, given: str | None, named_by_user: bool) -> Reader:
    """The reader for a document.

    Args:
        given: the format the user named, or None to detect it.
        named_by_user: the user gave the document itself rather than a folder around it.

    Raises:
        UnreadableError: it has none of the formats, or cannot be read.
    """
    if given is None:
        return READERS[_detect(document)]
    if not named_by_user and document.suffix not in _NOT_JSON.get(given, _JSON):
        hidden = is_expected_suffix(document.suffix)
        raise UnreadableError(f"not read: only {given} was asked for", may_hide_memories=hidden)
    return partial(read_transcript, asked=True) if given == "transcript" else READERS[given]


def _detect(document: Document) -> str:
    if document.suffix in _MARKDOWN:
        return "markdown"
    if document.name in _BESIDE_CONVERSATIONS:
        reason = "a part of an export that holds no conversation"
        raise UnreadableError(reason, may_hide_memories=False)
    if document.name == CUES_FILE and document.beside(MEMORIES_FILE) is not None:
        reason = f"read as the cues of {MEMORIES_FILE} beside it"
        raise UnreadableError(reason, may_hide_memories=False)
    if _NEVER_TEXT.fullmatch(document.suffix):
        raise UnreadableError("a binary file, not text", may_hide_memories=False)
    if not document.first_character:
        raise UnreadableError("an empty file", may_hide_memories=document.suffix in _JSON)
    if document.suffix in _JSON:
        return _shape_in(document)
    if document.first_character in ("{", "[") and (shape := _shape_or_none(document)):
        return shape
    if document.suffix in _PLAIN or is_transcript(document.text):
        return "transcript"
    reason = f"not a known format ({formats_known()}); --format reads it as one of them"
    raise UnreadableError(reason, may_hide_memories=False)


def _shape_or_none(document: Document) -> str | None:
    try:
        return _shape_in(document)
    except UnreadableError:
        return None


def _shape_in(document: Document) -> str:
    """The format of the first row that has a known one; "jsonl" if all lines are broken."""
    holds_rows = False
    for row in rows_in(document):
        if isinstance(row, Row):
            holds_rows = True
            if shape := _shape_of(row.fields):
                return shape
    if not holds_rows and document.suffix in LINES_SUFFIXES:
        return "jsonl"
    reason = f"JSON without memories (no row has {', '.join(TEXT_FIELDS)}, messages or mapping)"
    raise UnreadableError(reason, may_hide_memories=False)


def _shape_of(row: JsonObject) -> str:
    if "mapping" in row:
        return "chatgpt"
    if "chat_messages" in row:
        return "claude"
    for shape, is_shape in _MEMORY_STORES.items():
        if is_shape(row):
            return shape
    if is_export(row) or isinstance(row.get("messages"), list) or text_at(row, *TEXT_FIELDS):
        return "jsonl"
    return "jsonl" if text_at(row, "role") and "content" in row else ""
