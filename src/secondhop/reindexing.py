"""Embedding stored memories anew: for another model, or when the vectors cannot be read."""

from contextlib import closing

from secondhop.ingest.batches import Batch, embedded
from secondhop.ingest.run import IngestProgress
from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.stores.home import StoreHome, entity_slug
from secondhop.stores.reindex import Reindex

PASSAGES_AT_ONCE = 96


async def reindex_entity(
    home: StoreHome, entity: str, *, embedder: Embedder, progress: IngestProgress | None = None
) -> int:
    """Rebuild the vectors of one entity from its catalog; the number of passages.

    Until the end the old vectors stay in use; killed before, nothing has changed.

    Raises:
        StoreError: nothing is stored for the entity, or another process writes to it.
    """
    cache = home.path / "entities" / entity_slug(entity) / "embeddings.db"
    run = home.begin_reindex(entity, embedder_id=embedder.model_id, dimension=embedder.dimension)
    with closing(CachingEmbedder(embedder, cache)) as cached:
        async with await run as reindex:
            batch, done = Batch(), 0
            async for memory, passages in reindex.memories():
                batch.add(memory, passages)
                if batch.passages >= PASSAGES_AT_ONCE:
                    done += await put_batch(batch, reindex, embedder=cached)
                    batch = Batch()
                    if progress:
                        progress(entity, done, None)
            done += await put_batch(batch, reindex, embedder=cached)
            await reindex.finish()
    if progress:
        progress(entity, done, done)
    return done


async def put_batch(batch: Batch, reindex: Reindex, *, embedder: Embedder) -> int:
    """Embed and store the batch's passages; how many there were."""
    for ready in await embedded(batch, embedder, size=PASSAGES_AT_ONCE):
        await reindex.put([passage.passage_id for passage in ready.passages], ready.vectors)
    return batch.passages
