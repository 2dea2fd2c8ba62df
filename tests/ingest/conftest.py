"""A store in memory, an embedder without a model, and a token counter without a tokeniser."""

import asyncio
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from secondhop.ingest.settings import IngestSettings
from secondhop.models.embedder import Vectors
from secondhop.stores.cues import Annotation, fingerprint_given
from secondhop.stores.records import EmbeddedMemory, StoreCounts

SAMPLES = Path(__file__).parent / "samples"


class DictWriter:
    """A MemoryWriter that keeps what it is given, and refuses what a store would refuse."""

    def __init__(self) -> None:
        self.kept: dict[str, EmbeddedMemory] = {}
        self.puts: list[list[str]] = []
        self.annotated: list[Annotation] = []
        self.retagged: dict[str, Sequence[str]] = {}
        self.put_seconds = 0.0
        self.cues = self

    async def put(self, memories: Sequence[EmbeddedMemory]) -> None:
        await asyncio.sleep(self.put_seconds)
        ids = [stored.memory.memory_id for stored in memories]
        assert len(set(ids)) == len(ids), "one memory twice in a put"
        for stored in memories:
            assert stored.passages
            assert stored.vectors.shape[0] == len(stored.passages)
            assert {passage.memory_id for passage in stored.passages} == {stored.memory.memory_id}
        self.puts.append(ids)
        self.kept.update(zip(ids, memories, strict=True))

    async def delete(self, memory_ids: Sequence[str]) -> int:
        return sum(self.kept.pop(memory_id, None) is not None for memory_id in memory_ids)

    async def content_hashes(self, *, origin: str | None = None) -> Mapping[str, str]:
        return {
            memory_id: stored.memory.content_hash
            for memory_id, stored in self.kept.items()
            if origin is None or stored.memory.origin == origin
        }

    async def fingerprints(self) -> Mapping[str, str]:
        given = {one: fingerprint_given(stored.memory) for one, stored in self.kept.items()}
        return {one: says for one, says in given.items() if says}

    async def tags(self) -> Mapping[str, tuple[str, ...]]:
        return {one: stored.memory.tags for one, stored in self.kept.items()}

    async def retag(self, tags: Mapping[str, Sequence[str]]) -> None:
        self.retagged.update(tags)

    async def annotate(self, annotations: Sequence[Annotation], vectors: Vectors) -> int:
        assert len(vectors) == sum(len(one.cues) for one in annotations)
        self.annotated += annotations
        return len(annotations)

    async def counts(self) -> StoreCounts:
        passages = sum(len(stored.passages) for stored in self.kept.values())
        return StoreCounts(
            memories=len(self.kept),
            passages=passages,
            tokens=0,
            vectors=passages,
            pending=0,
            schema_version=1,
            embedder="crc",
        )

    def texts(self, memory_id: str) -> list[str]:
        """What was said in a stored memory."""
        return [message.content for message in self.kept[memory_id].memory.messages]


class CrcEmbedder:
    """One-hot vectors by the checksum of a text; remembers what it was asked to embed."""

    def __init__(self, *, seconds_a_text: float = 0.0) -> None:
        self.asked: list[list[str]] = []
        self.seconds_a_text = seconds_a_text

    @property
    def model_id(self) -> str:
        return "crc"

    @property
    def dimension(self) -> int:
        return 16

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        await asyncio.sleep(self.seconds_a_text * len(texts))
        return np.eye(16, dtype=np.float32)[[crc32(text.encode()) % 16 for text in texts]]

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


def words_and_a_third(text: str) -> int:
    """A token counter: 1.3 a word, and never less than one for eight characters."""
    return max(ceil(1.3 * len(text.split())), len(text) // 8)


@pytest.fixture
def samples() -> Path:
    return SAMPLES


@pytest.fixture
def writer() -> DictWriter:
    return DictWriter()


@pytest.fixture
def embedder() -> CrcEmbedder:
    return CrcEmbedder()


@pytest.fixture
def settings() -> IngestSettings:
    return IngestSettings(count_tokens=words_and_a_third)
