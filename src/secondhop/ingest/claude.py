"""Claude's data export: `conversations.json`, a list of conversations with `chat_messages`."""

from collections.abc import Iterator

from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import JsonObject, id_at, objects_at, text_at
from secondhop.ingest.reading import NEW_CHAT, Document, Found, Skipped
from secondhop.ingest.rows import rows_in
from secondhop.stores.records import Memory, Message

_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def read_claude(document: Document) -> Iterator[Found | Skipped]:
    """One memory per conversation; the text of attachments is part of their turn."""
    for row in rows_in(document):
        yield row if isinstance(row, Skipped) else _conversation(row.fields, row.item, document)


def _conversation(row: JsonObject, item: str, document: Document) -> Found | Skipped:
    conversation_id = id_at(row, "uuid", "id")
    if not conversation_id:
        return Skipped(item, "a conversation without an id", may_hide_memories=True)
    item = f"{item} (conversation {conversation_id})"
    if not isinstance(row.get("chat_messages"), list):
        reason = "broken conversation: it has no messages (`chat_messages`)"
        return Skipped(item, reason, may_hide_memories=True)
    turns = objects_at(row, "chat_messages")
    messages = tuple(message for turn in turns if (message := _message(turn)))
    if not messages:
        return Skipped(item, "an empty conversation: no message with text")
    dates = [parse_date(part.get("created_at")) for part in [row, *turns]]
    memory = Memory(
        memory_id=conversation_id,
        title=text_at(row, "name") or NEW_CHAT,
        source="conversation",
        created_at=next((date for date in dates if date), document.modified_at),
        messages=messages,
        origin=document.origin,
    )
    return Found(memory=memory, item=item, updated_at=parse_date(row.get("updated_at")))


def _message(turn: JsonObject) -> Message | None:
    role = _ROLES.get(text_at(turn, "sender"))
    if role is None:
        return None
    text = "\n\n".join([part for part in [_said(turn), *_attachments(turn)] if part.strip()])
    return Message(role, text) if text else None


def _said(turn: JsonObject) -> str:
    """The text blocks, or else `text`, which also has placeholders for other blocks."""
    blocks = objects_at(turn, "content")
    texts = [text_at(block, "text") for block in blocks if block.get("type") == "text"]
    return "\n\n".join(text for text in texts if text) or text_at(turn, "text")


def _attachments(turn: JsonObject) -> list[str]:
    return [
        f"Attachment {text_at(attachment, 'file_name') or 'without a name'}:\n\n{text}"
        for attachment in objects_at(turn, "attachments")
        if (text := text_at(attachment, "extracted_content"))
    ]
