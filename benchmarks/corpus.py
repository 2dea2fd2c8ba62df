"""A large corpus of memories with vectors and cues, made from the example scenarios.

The memories and cues of all example people are embedded once, and the vectors are kept in a
temporary folder. Further memories are copies: a quarter of their words are replaced by words drawn
from all memories, and noise moves each vector to a cosine of about 0.93. So a corpus of 100,000
passages has more near repeats than a real one; its words and geometry are real.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from secondhop.evals.scenario import load_scenario
from secondhop.models.embedder import Embedder, Vectors
from secondhop.stores.entity_cues import NO_VECTORS
from secondhop.stores.records import EmbeddedMemory, Memory, Message, Passage, passage_id_of

EXAMPLES = Path(__file__).parents[1] / "examples"
PASSAGES_A_MEMORY = 2
CUES = ((1, 1), (2, 1))
"""(specific, broad) cues per memory, in alternation: 2.5 on average."""
PASSAGE_WORDS = 80
REDRAWN = 0.25
NOISE = 0.4
"""Length of the noise beside a vector of length 1."""


@dataclass(frozen=True, kw_only=True)
class Base:
    """The memories that all others are copies of."""

    memories: Sequence[Memory]
    vectors: Vectors
    """float32 [n_memories, PASSAGES_A_MEMORY, dim]."""
    cue_vectors: Sequence[Vectors]
    """One per memory: float32 [n_cues, dim]."""
    questions: Sequence[str]

    @cached_property
    def words(self) -> list[str]:
        """All words of all memories, with repeats."""
        return [word for memory in self.memories for word in memory.text.split()]

    def memories_of(self, count: int, *, first: int = 0) -> list[EmbeddedMemory]:
        """`count` memories with cues, starting with number `first`."""
        return [self.memory(number) for number in range(first, first + count)]

    def memory(self, number: int) -> EmbeddedMemory:
        """Memory `number`, always the same. The first ones are those of the examples, unchanged."""
        place, copy = number % len(self.memories), number // len(self.memories)
        drawn = np.random.default_rng(number)
        memory = replace(
            self.memories[place],
            memory_id=f"m{number}",
            created_at=self.memories[place].created_at - timedelta(hours=copy),
        )
        if copy:
            memory = self.redrawn(memory, drawn)
        vectors, cues = self.vectors[place], self.cue_vectors[place]
        return EmbeddedMemory(
            memory=memory,
            passages=passages_of(memory),
            vectors=moved(vectors, drawn) if copy else vectors,
            cue_vectors=moved(cues, drawn) if copy else cues,
        )

    def redrawn(self, memory: Memory, drawn: np.random.Generator) -> Memory:
        """The memory with some words replaced, and its id appended to each cue."""

        def told(text: str) -> str:
            own = text.split()
            for at in np.flatnonzero(drawn.random(len(own)) < REDRAWN):
                own[at] = self.words[drawn.integers(len(self.words))]
            return " ".join(own)

        turns = [replace(one, content=told(one.content)) for one in memory.messages]
        return replace(
            memory,
            messages=tuple(turns),
            cues=tuple(f"{cue} {memory.memory_id}" for cue in memory.cues),
            broad_cues=tuple(f"{cue} {memory.memory_id}" for cue in memory.broad_cues),
        )


def passages_of(memory: Memory) -> tuple[Passage, ...]:
    """One passage per message."""
    return tuple(
        Passage(
            passage_id=passage_id_of(memory, ordinal, message.content),
            memory_id=memory.memory_id,
            ordinal=ordinal,
            text=message.content,
            tokens=PASSAGE_WORDS,
        )
        for ordinal, message in enumerate(memory.messages)
    )


def without_cues(embedded: EmbeddedMemory) -> EmbeddedMemory:
    """The memory without cues, as stored without a language model."""
    memory = replace(embedded.memory, cues=(), broad_cues=())
    return replace(embedded, memory=memory, cue_vectors=NO_VECTORS)


def moved(rows: Vectors, drawn: np.random.Generator) -> Vectors:
    """The rows moved by noise, again of unit length."""
    noise = drawn.normal(size=rows.shape).astype(np.float32)
    near = rows + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return np.asarray(near / np.linalg.norm(near, axis=1, keepdims=True), dtype=np.float32)


def example_memories() -> tuple[list[Memory], list[str]]:
    """(memories of all example people, cut to two passages; their questions, shuffled)."""
    memories: list[Memory] = []
    questions: list[str] = []
    for path in sorted(EXAMPLES.glob("*/*/conversations.jsonl")):
        scenario = load_scenario(path.parent)
        memories += [shortened(one, number) for number, one in enumerate(scenario.memories)]
        questions += [one.query for one in scenario.questions]
    order = np.random.default_rng(0).permutation(len(questions)).tolist()
    return memories, [questions[place] for place in order]


def shortened(memory: Memory, number: int) -> Memory:
    """The first words of a memory as two messages, with at most two or three of its cues."""
    words = memory.text.split()[: PASSAGES_A_MEMORY * PASSAGE_WORDS]
    half = -(-len(words) // PASSAGES_A_MEMORY)
    parts = [" ".join(words[:half]), " ".join(words[half:]) or memory.title]
    specific, broad = CUES[number % len(CUES)]
    return replace(
        memory,
        kind="continuity",
        messages=tuple(Message("user", part) for part in parts),
        cues=memory.cues[:specific],
        broad_cues=memory.broad_cues[:broad],
        role="",
        replaces=(),
    )


async def load_base(embedder: Embedder) -> Base:
    """The base. It is embedded at first use, which takes a minute or two."""
    memories, questions = example_memories()
    texts = [f"{one.title}\n{message.content}" for one in memories for message in one.messages]
    cues = [[*one.cues, *one.broad_cues] for one in memories]
    texts += [cue for own in cues for cue in own]
    digest = sha256("\0".join([embedder.model_id, *texts]).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / "secondhop-bench"
    path = folder / f"{digest}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(np.save, path, await embedder.embed_passages(texts))
    rows: Vectors = await asyncio.to_thread(np.load, path)
    of_text, of_cues = np.split(rows, [len(memories) * PASSAGES_A_MEMORY])
    ends = np.cumsum([len(own) for own in cues])
    return Base(
        memories=memories,
        vectors=of_text.reshape(len(memories), PASSAGES_A_MEMORY, -1),
        cue_vectors=np.split(of_cues, ends[:-1]),
        questions=questions,
    )
