"""Cuts memories into parts that a model can read whole."""

from dataclasses import dataclass

from secondhop.ingest.chunk import chunk_memory
from secondhop.stores.records import Memory

FRAME_TOKENS = 45
"""Tokens of the lines around a memory: id, date, source, title."""


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
    passages = chunk_memory(memory, max_tokens=tokens, overlap_tokens=0)
    texts = [(one.text, one.tokens) for one in passages] or [("", 0)]
    return [
        MemoryPart(memory=memory, text=text, tokens=size, number=number, of=len(texts))
        for number, (text, size) in enumerate(texts, start=1)
    ]
