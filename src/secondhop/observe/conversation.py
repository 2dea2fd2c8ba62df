"""Keeps a conversation as a memory that grows by the new messages of each call."""

from collections.abc import Sequence
from dataclasses import replace

from secondhop.ingest.cleaning import clean_memory
from secondhop.ingest.jsonl import OTHER_NAMES
from secondhop.observe.port import Turn
from secondhop.stores.records import Memory, Message
from secondhop.stores.titles import first_words

INSTRUCTIONS = frozenset({"system", "developer"})
"""Roles whose messages are not kept: they were not said, and may change with every request."""


def spoken_in(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that belong to the conversation: not empty, and not instructions."""
    return [one for one in turns if one.content.strip() and one.role not in INSTRUCTIONS]


def conversation(memory_id: str, turns: Sequence[Turn], *, title: str) -> Memory:
    """The conversation as a memory."""
    first = next((turn for turn in turns if turn.role == "user"), turns[0])
    memory = Memory(
        memory_id=memory_id,
        title=title or first_words(first.content),
        source="conversation",
        created_at=turns[0].at,
        messages=tuple(Message(turn.role, turn.content) for turn in turns),
    )
    return clean_memory(memory)


def going_on(known: Memory, now: Memory, *, title: str) -> Memory:
    """The kept conversation `known`, extended by the new messages of `now`."""
    kept = (replace(one, role=OTHER_NAMES.get(one.role, one.role)) for one in known.messages)
    messages = continued(tuple(kept), now.messages)
    return replace(known, title=now.title if title else known.title, messages=messages)


def continued(kept: tuple[Message, ...], said: tuple[Message, ...]) -> tuple[Message, ...]:
    """The kept messages, followed by the new ones of `said`.

    `said` may be the whole conversation, its last messages, or only the newest one. Its longest
    beginning that equals the end of `kept` is not new. If `said` repeats the beginning of `kept`,
    nothing is new, unless it is a single message, which may have been said again.
    """
    if len(said) > 1 and kept[: len(said)] == said:
        return kept
    most = min(len(kept), len(said))
    known = next((size for size in range(most, 0, -1) if kept[-size:] == said[:size]), 0)
    return (*kept, *said[known:])
