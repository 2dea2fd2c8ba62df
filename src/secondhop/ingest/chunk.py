"""Cuts a memory into passages: at headings, fences, tables, paragraphs and turns."""

from collections.abc import Iterator

from secondhop.ingest.packing import Packer
from secondhop.ingest.pieces import Cutter, Group, Piece
from secondhop.models.tokens import TokenCounter, count_tokens
from secondhop.stores.records import Memory, Message, Passage, passage_id_of

_MAX_HEADING_CHARS = 200

MAX_TOKENS = 400
"""Most tokens of a passage."""
OVERLAP_TOKENS = 80
"""Most tokens that are repeated at the start of the next passage."""


def chunk_memory(
    memory: Memory,
    *,
    count_tokens: TokenCounter = count_tokens,
    max_tokens: int = MAX_TOKENS,
    overlap_tokens: int = OVERLAP_TOKENS,
) -> tuple[Passage, ...]:
    """The passages of a memory, in order; () if it is blank.

    A turn is cut only if it does not fit into one passage, and a question stays with its answer if
    both fit. No character other than white space is lost. Linear in the text.
    """
    cutter = Cutter(count_tokens, max_tokens=max_tokens)
    packer = Packer(cutter, overlap_tokens=overlap_tokens)
    for part in _turns(memory, cutter):
        packer.add(part)
    packer.finish()
    return tuple(
        Passage(
            passage_id=passage_id_of(memory, ordinal, passage.text, heading=heading),
            memory_id=memory.memory_id,
            ordinal=ordinal,
            text=passage.text,
            tokens=passage.tokens,
            heading=heading,
        )
        for ordinal, passage in enumerate(packer.packed)
        for heading in [" > ".join(passage.path)[:_MAX_HEADING_CHARS]]
    )


def _turns(memory: Memory, cutter: Cutter) -> Iterator[Group | Piece]:
    """The single text of a note, or one group for each question with its answer."""
    said = [message for message in memory.messages if message.content.strip()]
    if len(said) == 1 and memory.source != "conversation":
        yield cutter.turn(said[0].content.strip("\n").rstrip(), turn=0, speaker="")
        return
    exchange: list[Piece] = []
    for number, message in enumerate(said):
        if exchange and _opens_exchange(message, after=said[number - 1]):
            yield Group(tuple(exchange))
            exchange = []
        text = message.content.strip("\n").rstrip()
        exchange.append(cutter.turn(text, turn=number, speaker=message.speaker))
    if exchange:
        yield Group(tuple(exchange))


def _opens_exchange(message: Message, *, after: Message) -> bool:
    """Whether a question begins here: a user's turn after another speaker's. Between people, each
    turn is a group of its own."""
    if message.role == "user":
        return after.role != "user"
    return message.role != "assistant"
