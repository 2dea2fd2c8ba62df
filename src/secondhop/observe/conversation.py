"""A conversation that is kept: it grows by what is new in each call, and loses no message."""

from collections.abc import Sequence
from dataclasses import replace

from secondhop.ingest.cleaning import clean_memory
from secondhop.memories.building import opening
from secondhop.observe.port import Turn
from secondhop.stores.records import Memory, Message

INSTRUCTIONS = frozenset({"system", "developer"})
"""Roles whose messages are not kept: nobody said them, and they change from request to request."""


def spoken_in(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that belong to the conversation."""
    return [one for one in turns if one.content.strip() and one.role not in INSTRUCTIONS]


def conversation(memory_id: str, turns: Sequence[Turn], *, title: str) -> Memory:
    """The conversation as a memory."""
    first = next((turn for turn in turns if turn.role == "user"), turns[0])
    memory = Memory(
        memory_id=memory_id,
        title=title or opening(first.content),
        source="conversation",
        created_at=turns[0].at,
        messages=tuple(Message(turn.role, turn.content) for turn in turns),
    )
    return clean_memory(memory)


def going_on(known: Memory, now: Memory, *, title: str) -> Memory:
    """The conversation that is kept, with what is new in the one that was given now."""
    messages = continued(known.messages, now.messages)
    return replace(known, title=now.title if title else known.title, messages=messages)


def continued(kept: tuple[Message, ...], said: tuple[Message, ...]) -> tuple[Message, ...]:
    """What is kept, and after it what is new.

    What is said may be the whole conversation, its last messages, or only the newest one: it goes
    on where its beginning meets the end of what is kept. The beginning of what is kept is nothing
    new; one message alone that says the same may be.
    """
    if len(said) > 1 and kept[: len(said)] == said:
        return kept
    most = min(len(kept), len(said))
    known = next((size for size in range(most, 0, -1) if kept[-size:] == said[:size]), 0)
    return (*kept, *said[known:])
