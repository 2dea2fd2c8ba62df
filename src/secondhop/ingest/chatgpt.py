"""ChatGPT's data export: `conversations.json`, or its shards `conversations-000.json`.

A conversation is a tree of messages, `mapping`, because an edited question starts a branch.
The path from `current_node` up to the root is what its owner last saw.
"""

from collections.abc import Iterator
from datetime import datetime

from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import Json, JsonObject, id_at, object_at, text_at
from secondhop.ingest.jsonl import text_said
from secondhop.ingest.reading import NEW_CHAT, Document, Found, Skipped
from secondhop.ingest.rows import rows_in
from secondhop.stores.records import Memory, Message


def read_chatgpt(document: Document) -> Iterator[Found | Skipped]:
    """One memory per conversation: what user and assistant said, code, and its output."""
    for row in rows_in(document):
        yield row if isinstance(row, Skipped) else _conversation(row.fields, row.item, document)


def _conversation(row: JsonObject, item: str, document: Document) -> Found | Skipped:
    conversation_id = id_at(row, "conversation_id", "id")
    if not conversation_id:
        return Skipped(item, "a conversation without an id", may_hide_memories=True)
    item = f"{item} (conversation {conversation_id})"
    try:
        path = _visible_path(row)
    except ValueError as error:
        return Skipped(item, str(error), may_hide_memories=True)
    messages = tuple(message for node in path if (message := _message(node)))
    if not messages:
        return Skipped(item, "an empty conversation: no message with text")
    memory = Memory(
        memory_id=conversation_id,
        title=text_at(row, "title") or NEW_CHAT,
        source="conversation",
        created_at=_created_at(row, path) or document.modified_at,
        messages=messages,
        origin=document.origin,
    )
    return Found(memory=memory, item=item, updated_at=parse_date(row.get("update_time")))


def _visible_path(row: JsonObject) -> list[JsonObject]:
    """The messages from the root down to the current node. Raises ValueError for a broken tree."""
    nodes = row.get("mapping")
    if not isinstance(nodes, dict):
        raise ValueError("broken conversation: it has no message tree (`mapping`)")
    path: list[JsonObject] = []
    seen: set[str] = set()
    node_id: Json = row.get("current_node") or _newest_leaf(nodes)
    while isinstance(node_id, str):
        node = nodes.get(node_id)
        if node_id in seen:
            raise ValueError(f"broken conversation: its message tree loops at {node_id}")
        if not isinstance(node, dict):
            raise ValueError(f"broken conversation: its message tree lacks {node_id}")
        seen.add(node_id)
        path.append(object_at(node, "message"))
        node_id = node.get("parent")
    return path[::-1]


def _newest_leaf(nodes: JsonObject) -> str | None:
    """The end of the conversation if `current_node` is missing; a tie goes to the last one."""
    leaves = [
        key for key, node in nodes.items() if isinstance(node, dict) and not node.get("children")
    ]
    return max(reversed(leaves), key=lambda key: _sent_at(object_at(nodes, key)), default=None)


def _sent_at(node: JsonObject) -> float:
    moment = parse_date(object_at(node, "message").get("create_time"))
    return moment.timestamp() if moment else 0.0


def _created_at(row: JsonObject, path: list[JsonObject]) -> datetime | None:
    times = (parse_date(message.get("create_time")) for message in path)
    return parse_date(row.get("create_time")) or next((time for time in times if time), None)


def _message(message: JsonObject) -> Message | None:
    """The part of a node that the owner saw; None for system messages, hidden ones, tool calls."""
    if object_at(message, "metadata").get("is_visually_hidden_from_conversation"):
        return None
    role = text_at(object_at(message, "author"), "role")
    content = object_at(message, "content")
    kind = text_at(content, "content_type")
    if kind == "execution_output":
        text = _fenced(text_at(content, "text"), "")
    elif role not in ("user", "assistant"):
        return None
    elif kind == "code":
        text = _code(content, to=text_at(message, "recipient"))
    else:
        text = _said(content, kind) if text_at(message, "recipient") in ("", "all") else ""
    return Message("user" if role == "user" else "assistant", text) if text.strip() else None


def _said(content: JsonObject, kind: str) -> str:
    if kind not in ("text", "multimodal_text", ""):
        return ""
    parts = content.get("parts")
    return text_said(parts) if isinstance(parts, list) else text_at(content, "text")


def _code(content: JsonObject, *, to: str) -> str:
    """Code that was shown or run; "" for calls of other tools (search, image, memory)."""
    if to not in ("", "all", "python"):
        return ""
    language = text_at(content, "language")
    return _fenced(text_at(content, "text"), "python" if language in ("", "unknown") else language)


def _fenced(code: str, language: str) -> str:
    return f"```{language}\n{code.strip()}\n```" if code.strip() else ""
