"""Embeds stored memories again, for another model or when the vectors cannot be read."""

import asyncio
import logging
from contextlib import aclosing, closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from secondhop.errors import StoreError
from secondhop.ingest.batches import TEXTS_AT_ONCE, Batch, embedded
from secondhop.ingest.run import IngestProgress
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.stores.catalog.stored_ids import PASSAGES, count
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.reindex import Reindex
from secondhop.stores.store_directory import StoreDirectory
from secondhop.sync import in_own_loop

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

logger = logging.getLogger(__name__)


async def rebuild_unfinished(
    home: StoreDirectory, entity: str, *, embedder: Embedder
) -> int | None:
    """As `reindex_entity`; None if another process has done it meanwhile."""
    run = home.reindexing(
        entity,
        embedder_id=embedder.model_id,
        dimension=embedder.dimension,
        may_delete_unreadable=False,
    )
    async with run as reindex:
        if not await reindex.is_needed():
            return None
        return await rebuild(reindex, home, entity, embedder=embedder)


async def reindex_entity(
    home: StoreDirectory, entity: str, *, embedder: Embedder, progress: IngestProgress | None = None
) -> int:
    """See `areindex`. The old vectors stay in use until the end; a kill before changes nothing."""
    if await asyncio.to_thread(home.place.is_in_use, entity):
        raise StoreError(
            f"entity {entity!r} is open, in this program or in another one (a server, an ingest), "
            f"which could not go on with other vectors; nothing was reindexed: close it there, and "
            f"try again"
        )
    run = home.reindexing(entity, embedder_id=embedder.model_id, dimension=embedder.dimension)
    async with run as reindex:
        done = await rebuild(reindex, home, entity, embedder=embedder, progress=progress)
    if progress:
        progress(entity, done, done)
    return done


async def areindex(
    path: str | Path,
    entity: str = "default",
    *,
    embedder: "str | Embedder | Embeddings" = "default",
    chroma_url: str | None = None,
    progress: IngestProgress | None = None,
) -> int:
    """Embed all memories of an entity again. Returns the number of passages.

    For another embedding model, or if the vectors cannot be read. Nothing stored is lost.

    Args:
        embedder: as for `Recall.open`. From now on the entity is opened with it.

    Raises:
        StoreError: nothing is stored for the entity, or it is open; nothing has changed.
    """
    chosen = await chosen_embedder(embedder)
    async with aclosing(StoreDirectory(path, chroma_url=chroma_url)) as home:
        return await reindex_entity(home, entity, embedder=chosen, progress=progress)


reindex = in_own_loop(areindex)


async def passages_to_embed(home: StoreDirectory, entity: str) -> int:
    """How many passages `reindex_entity` would embed. Opens only the catalog."""
    catalog = home.place.catalog(entity)
    try:
        return await catalog.aread(count, PASSAGES)
    finally:
        await asyncio.to_thread(catalog.close)


async def rebuild(
    reindex: Reindex,
    home: StoreDirectory,
    entity: str,
    *,
    embedder: Embedder,
    progress: IngestProgress | None = None,
) -> int:
    """Put a vector for every passage and cue, and finish. Returns the number of passages."""
    cache = home.path / "entities" / entity_slug(entity) / "embeddings.db"
    batch, done = Batch(), 0
    with closing(CachingEmbedder(embedder, cache)) as cached:
        async for page in reindex.catalog.pages():
            for memory, passages in page:
                batch.add(memory, passages)
                if batch.passages >= TEXTS_AT_ONCE:
                    done += await put_batch(batch, reindex, embedder=cached)
                    batch = Batch()
                    if progress:
                        progress(entity, done, None)
        done += await put_batch(batch, reindex, embedder=cached)
        async for cues in reindex.cues():
            vectors = await cached.embed_passages([cue.text for cue in cues])
            await reindex.new.cues.upsert([cue.cue_id for cue in cues], vectors)
    await reindex.finish()
    return done


async def put_batch(batch: Batch, reindex: Reindex, *, embedder: Embedder) -> int:
    """Embed and store the batch's passages. Returns how many there were."""
    if all_ready := await embedded(batch, embedder):
        ids = [passage.passage_id for ready in all_ready for passage in ready.passages]
        await reindex.new.passages.upsert(
            ids, np.concatenate([ready.vectors for ready in all_ready])
        )
    return batch.passages
