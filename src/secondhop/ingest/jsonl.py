"""JSON Lines or a JSON array in any layout; each row holds a text or a list of messages."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from secondhop.ingest.cues_file import cues_beside
from secondhop.ingest.dates import date_in, parse_date, unread_date
from secondhop.ingest.json_text import Json, JsonObject, id_at, text_at, texts_at
from secondhop.ingest.reading import NEW_CHAT, Document, Found, Skipped, UnreadableError
from secondhop.ingest.rows import Row, rows_in
from secondhop.stores.records import Memory, Message

TEXT_FIELDS = ("text", "content", "body", "message")
DATE_FIELDS = ("created_at", "timestamp", "date", "time", "createdAt", "create_time")
EXPORT_FORMAT: Final = "secondhop.memories"
"""What the first line of secondhop's own export has as `format`."""
OTHER_NAMES = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant"}
"""Other names of the two roles of a chat, as LangChain and others write them."""
_UNSEEN_ROLES = frozenset({"system", "developer", "tool", "function"})


def read_jsonl(document: Document) -> Iterator[Found | Skipped]:
    """One memory per row. If every row is a `{role, content}`, they form one conversation.

    Raises:
        UnreadableError: it is an export of secondhop, whose rows say more than ingest stores.
    """
    turns = _turns(document)
    if turns:
        yield _one_conversation(turns, document)
        return
    cues, faults = cues_beside(document)
    yield from faults
    for row in rows_in(document):
        if isinstance(row, Skipped):
            yield row
            continue
        if is_export(row.fields):
            reason = "this is an export of secondhop; use `secondhop import`"
            raise UnreadableError(reason)  # an earlier version may have stored memories from it
        whole = Row(row.fields | cues.get(id_at(row.fields, "id"), {}), row.item)
        entry = _found(whole, document)
        yield entry
        if isinstance(entry, Found):
            yield from _notices(whole)


def is_export(fields: JsonObject) -> bool:
    """Whether a row is the first line of secondhop's own export."""
    return fields.get("format") == EXPORT_FORMAT


def _notices(row: Row) -> Iterator[Skipped]:
    """A notice for each malformed field of a row; the row itself is stored."""
    fields = row.fields
    for key in ("cues", "broad", "replaces", "tags"):
        given = fields.get(key)
        if given is not None and list(texts_at(fields, key)) != given:
            yield Skipped(row.item, f"{key}: only texts in a list are stored", is_notice=True)
    dates = [value for key in DATE_FIELDS if (value := fields.get(key))]
    if dates and not any(map(parse_date, dates)):
        yield Skipped(row.item, unread_date(dates[0]), is_notice=True)


def _found(row: Row, document: Document) -> Found | Skipped:
    """The memory that a row holds. A missing id becomes a hash of its title and messages."""
    fields = row.fields
    turns = fields.get("messages")
    if isinstance(turns, list):
        messages = _messages(turns)
    else:
        text = text_at(fields, *TEXT_FIELDS)
        messages = (Message("user", text),) if text else ()
    if not messages:
        return Skipped(
            row.item, f"a row without text (looked for {', '.join(TEXT_FIELDS)}, messages)"
        )
    title = text_at(fields, "title", "name", "subject")
    dates = (parse_date(fields.get(key)) for key in DATE_FIELDS)
    memory = Memory(
        memory_id=id_at(fields, "id", "uuid") or _content_id(title, messages),
        title=title or (NEW_CHAT if isinstance(turns, list) else ""),
        source=text_at(fields, "source") or ("conversation" if isinstance(turns, list) else "note"),
        created_at=next((date for date in dates if date), document.modified_at),
        messages=messages,
        origin=document.origin,
        cues=texts_at(fields, "cues"),
        broad_cues=texts_at(fields, "broad"),
        role=text_at(fields, "role"),
        replaces=texts_at(fields, "replaces"),
        tags=texts_at(fields, "tags"),
    )
    return Found(memory=memory, item=row.item)


def _messages(turns: list[Json]) -> tuple[Message, ...]:
    """The messages of an OpenAI-style chat, without system and tool turns."""
    messages: list[Message] = []
    for turn in turns:
        if not isinstance(turn, dict):
            continue
        role = text_at(turn, "role", "sender", "from") or "user"
        text = text_said(turn.get("content") or turn.get("text"))
        if role.lower() not in _UNSEEN_ROLES and text.strip():
            messages.append(Message(OTHER_NAMES.get(role.lower(), role), text))
    return tuple(messages)


def text_said(content: Json) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [_part(part) for part in content]
    return "\n\n".join(part for part in parts if part.strip())


def _part(part: Json) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    is_image = "image" in text_at(part, "type", "content_type")
    return "[image]" if is_image else text_at(part, "text")


def _turns(document: Document) -> list[JsonObject]:
    """All rows if each of them is one message of a conversation; [] otherwise."""
    turns: list[JsonObject] = []
    for row in rows_in(document):
        if isinstance(row, Skipped) or not _is_turn(row):
            return []
        turns.append(row.fields)
    return turns


def _is_turn(row: Row) -> bool:
    """Whether a row is one message of a conversation rather than a memory of its own."""
    return (
        bool(text_at(row.fields, "role"))
        and "content" in row.fields
        and not id_at(row.fields, "id")
    )


def _one_conversation(turns: list[JsonObject], document: Document) -> Found | Skipped:
    messages = _messages([*turns])
    if not messages:
        return Skipped(document.item, "an empty conversation: no message with text")
    dates = [parse_date(turn.get(key)) for turn in turns for key in DATE_FIELDS]
    memory = Memory(
        memory_id=document.path,
        title=document.stem,
        source="conversation",
        created_at=next(
            (date for date in [*dates, date_in(document.name)] if date), document.modified_at
        ),
        messages=messages,
        origin=document.origin,
    )
    return Found(memory=memory, item=document.item, named_by_path=True)


def _content_id(title: str, messages: tuple[Message, ...]) -> str:
    digest = sha256()
    for part in [
        title,
        *(part for message in messages for part in (message.role, message.content)),
    ]:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return f"row-{digest.hexdigest()[:20]}"
