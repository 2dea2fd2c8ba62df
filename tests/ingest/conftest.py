"""A store that records its writes, and an embedder without a model."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from secondhop.models.embedder import Vectors
from secondhop.stores.catalog import reads
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import Decision
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import EmbeddedMemory
from secondhop.stores.vectors.memory_index import MemoryIndex

SAMPLES = Path(__file__).parent / "samples"


class WatchedStore(EntityStore):
    """A store with its vectors in memory that records what was put."""

    def __init__(self, folder: Path) -> None:
        identity = Identity(entity="anna", embedder_id="crc", dimension=16)
        lock = WriterLock(folder / "lock")
        super().__init__(
            Catalog(folder / "catalog.db"),
            MemoryIndex(),
            identity=identity,
            lock=lock,
            cue_index=MemoryIndex(),
        )
        self.puts: list[list[str]] = []
        self.put_seconds = 0.0

    async def put(
        self, memories: Sequence[EmbeddedMemory], *, decide: Decision | None = None
    ) -> set[str]:
        ids = [stored.memory.memory_id for stored in memories]
        assert len(set(ids)) == len(ids), "one memory twice in a put"
        assert all(stored.passages for stored in memories)
        await asyncio.sleep(self.put_seconds)
        self.puts.append(ids)
        return await super().put(memories, decide=decide)

    @property
    def kept(self) -> list[str]:
        """Ids of what is stored."""
        return sorted(self._catalog.read(reads.content_hashes))

    def texts(self, memory_id: str) -> list[str]:
        """What was said in a stored memory."""
        found = self._catalog.read(reads.memory, memory_id)
        assert found is not None
        return [message.content for message in found.messages]


class CrcEmbedder:
    """Makes one-hot vectors from a text's checksum; records what it was asked to embed."""

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


@pytest.fixture
def samples() -> Path:
    return SAMPLES


@pytest.fixture
async def writer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WatchedStore]:
    store = WatchedStore(tmp_path_factory.mktemp("store"))
    yield store
    await store.aclose()


@pytest.fixture
def embedder() -> CrcEmbedder:
    return CrcEmbedder()
