"""Cuts memories into parts that a model can read whole."""

from collections.abc import Iterator
from dataclasses import dataclass

from secondhop.ingest.split_text import grains, lines
from secondhop.models.tokens import count_tokens
from secondhop.stores.records import Memory

FRAME_TOKENS = 45
"""Tokens of the lines around a memory: id, date, source, title."""

_SPEAKERS = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPart:
    """What a model reads at once: a memory, or a part of a long one."""

    memory: Memory
    text: str
    tokens: int
    """Length of `text`."""
    number: int
    """Position among the memory's parts, from 1."""
    of: int
    """How many parts the memory has."""

    @property
    def memory_id(self) -> str:
        """The id of the memory."""
        return self.memory.memory_id

    @property
    def key(self) -> tuple[str, int]:
        """(memory id, number)."""
        return self.memory_id, self.number


def parts_of(memory: Memory, *, tokens: int) -> list[MemoryPart]:
    """A memory in parts of at most `tokens` tokens, in order; nothing is left out."""
    texts = list(cut(memory_text(memory), tokens=tokens)) or [""]
    return [
        MemoryPart(
            memory=memory, text=text, tokens=count_tokens(text), number=number, of=len(texts)
        )
        for number, text in enumerate(texts, start=1)
    ]


def memory_text(memory: Memory) -> str:
    """The text of a memory; with speakers, unless it is one message and not a conversation."""
    said = [message for message in memory.messages if message.content.strip()]
    if len(said) == 1 and memory.source != "conversation":
        return said[0].content.strip()
    return "\n".join(
        f"{_SPEAKERS.get(message.role, message.role)}: {message.content.strip()}"
        for message in said
    )


def cut(text: str, *, tokens: int) -> Iterator[str]:
    """Pieces of at most `tokens` tokens, cut between lines if possible, else between words."""
    if count_tokens(text) <= tokens:
        yield from [text] if text.strip() else []
        return
    piece, size = "", 0
    for joiner, line in lines(text):
        for own_joiner, grain in grains(line, tokens=tokens, count_tokens=count_tokens):
            more = count_tokens(grain) + 1
            if piece and size + more > tokens:
                yield piece
                piece, size = "", 0
            piece += (own_joiner or joiner) * bool(piece) + grain
            size += more
    if piece:
        yield piece
