"""One ingest into the store that ships: catalog, lexical index and vectors."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

from secondhop.ingest.pipeline import ingest
from secondhop.ingest.settings import IngestSettings
from secondhop.stores.store_directory import StoreDirectory

if TYPE_CHECKING:
    from tests.ingest.conftest import CrcEmbedder


async def test_samples_are_found_again_and_deletions_followed(
    samples: Path, tmp_path: Path, embedder: CrcEmbedder, settings: IngestSettings
) -> None:
    folder = copytree(samples, tmp_path / "given")
    home = StoreDirectory(tmp_path / "store")
    store = await home.open_entity("anna", embedder_id="crc", dimension=16)
    first = await ingest([folder], writer=store, embedder=embedder, settings=settings)
    (folder / "notes" / "servers.md").unlink()
    (folder / "rows" / "mixed.jsonl").write_text('{"id": "u-1", "text": "Two months now."}\n')
    second = await ingest([folder], writer=store, embedder=embedder, settings=settings)
    hits = (await store.lexical(["cashews"], k=3))[0]
    counts = await store.counts()
    await home.aclose()
    assert (first.stored, second.stored, second.deleted) == (20, 1, 4)
    assert [hit.memory_id for hit in hits] == ["transcripts/thoughts.txt"]
    assert (counts.memories, counts.pending) == (16, 0)
