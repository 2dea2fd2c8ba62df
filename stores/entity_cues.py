"""Cues and annotations of one entity: searched by recall, written beside the memories."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial

import numpy as np

from secondhop.errors import CorruptStoreError, UsageError
from secondhop.stores.catalog import cue_writes, cues, reads
from secondhop.stores.catalog.catalog import Catalog, by_reading
from secondhop.stores.cues import Annotation, Cue, CueHit, CueStanding
from secondhop.stores.database import Connection
from secondhop.stores.locks import to_its_end
from secondhop.stores.maintenance import VectorMaintenance
from secondhop.stores.outbox import Outbox, vectors_fault
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Vector, Vectors
from secondhop.stores.vectors.chroma_database import UnfinishedIndexError
from secondhop.stores.vectors.stored_hits import nearest_stored
from secondhop.telemetry import search_span

NO_VECTORS: Vectors = np.zeros((0, 0), dtype=np.float32)
_log = logging.getLogger(__name__)


class EntityCues:
    """Searches, reads and writes the cues of one entity.

    If vectors of cues are lost, recalls find less by cues, and everything else works. The words are
    in the catalog, and `doctor --fix` embeds them again.
    """

    def __init__(
        self,
        catalog: Catalog,
        index: VectorIndex,
        *,
        outbox: Outbox,
        dimension: int,
        writing: Callable[[], AbstractAsyncContextManager[None]],
        clock: Callable[[], datetime],
    ) -> None:
        """`writing` is a block in which no other process writes."""
        self._catalog, self._index, self._outbox = catalog, index, outbox
        self._dimension, self._writing, self._clock = dimension, writing, clock
        self.is_readable = True
        """Whether the vectors are used. Whoever looks at all of them notes whether it succeeded."""

    async def check(self, vectors: VectorMaintenance, *, cure: str) -> None:
        """Remove vectors that belong to no cue; warn if some are missing or not readable.

        Raises:
            UnfinishedIndexError: a killed process left them half written.
        """
        try:
            if missing := await vectors.drop_orphans():
                _log.warning(
                    "%d vectors of cues are missing, so recall finds less: %s", missing, cure
                )
        except UnfinishedIndexError:
            raise
        except CorruptStoreError as error:
            self.is_readable = False
            _log.warning("recall works without cues, whose vectors cannot be read: %s", error)

    # --- CueSearch ---

    async def search(self, queries: Vectors, *, k: int) -> list[list[CueHit]]:
        """See `CueSearch`."""
        if not len(queries) or not self.is_readable:
            return [[] for _ in queries]
        with search_span("cues", len(queries)) as span:
            hits = await nearest_stored(
                self._index,
                queries,
                k=k,
                catalog=self._catalog,
                owners=cues.cue_owners,
                as_hit=lambda one, owner, score: CueHit(one, *owner, score),
            )
            span.found_by_queries(hits)
        return hits

    async def compare(self, queries: Vectors, memory_ids: Sequence[str]) -> list[list[CueHit]]:
        """See `CueSearch`."""
        with search_span("cues", len(queries)) as span:
            owners = await self._catalog.aread(cues.cues_owned, memory_ids)
            vectors = await self.vectors(list(owners))
            rows = np.stack([*vectors.values()]) if vectors else queries[:0]
            cosines = np.vecdot(queries[:, np.newaxis], rows[np.newaxis]).tolist()
            hits = [
                sorted(
                    (CueHit(one, *owners[one], own) for one, own in zip(vectors, row, strict=True)),
                    key=lambda hit: (-hit.score, hit.cue_id),
                )
                for row in cosines
            ]
            span.found_by_queries(hits)
        return hits

    async def vectors(self, cue_ids: Sequence[str]) -> dict[str, Vector]:
        """See `CueSearch`."""
        return await self._index.fetch(cue_ids) if self.is_readable else {}

    async def standing(self) -> CueStanding:
        """See `CueSearch`."""
        return (await self._catalog.known.whole(reads.at_first)).cues

    # --- reading, for code that writes cues ---

    learns = by_reading(cues.learns)
    proved = by_reading(cues.proved)
    of_memories = by_reading(cues.of_memories)
    all = by_reading(cues.all_cues)
    annotations = by_reading(cues.annotations)
    unannotated = by_reading(cues.unannotated)
    fingerprints = by_reading(cues.fingerprints)

    # --- writing ---

    async def annotate(
        self, annotations: Sequence[Annotation], vectors: Vectors, *, added: Sequence[Cue] = ()
    ) -> int:
        """Replace the annotations of the same origin. Returns how many were stored.

        Annotations are left out if their memory is gone or its text has changed. Cues of other
        origins stay, and so do cues that the host added one by one.

        Args:
            vectors: float32 [n_cues, dim], rows of unit length: of all their cues in order, then of
                those in `added`.
            added: cues to `add` in the same transaction.
        """
        stored: list[int] = []

        def write(connection: Connection) -> set[str]:
            count, gone = cue_writes.annotate(connection, annotations, at=self._clock())
            cue_writes.add_cues(connection, added, at=self._clock())
            stored.append(count)
            return gone

        cues = [cue for annotation in annotations for cue in annotation.cues]
        await self._write([*cues, *added], vectors, write)
        return sum(stored)

    async def add(self, cues: Sequence[Cue], vectors: Vectors) -> None:
        """Add cues; those of memories that are gone are left out.

        Args:
            vectors: float32 [n_cues, dim], rows of unit length.
        """
        await self.annotate([], vectors, added=cues)

    async def set_given(self, said: Annotation, vectors: Vectors) -> None:
        """Replace the host's annotation of a memory and all its cues, also those from a file. The
        next ingest of the same file leaves it so.

        Args:
            vectors: float32 [n_cues, dim], rows of unit length.
        """
        write = partial(cue_writes.set_given, new=said, at=self._clock())
        await self._write(said.cues, vectors, write)

    async def prove(self, votes: Sequence[Cue], vectors: Vectors) -> None:
        """Add the votes of a session to its cues. Does nothing while learning is off.

        Args:
            votes: one cue for each memory; `proved` holds the votes.
            vectors: float32 [n_cues, dim], rows of unit length.
        """
        write = partial(cue_writes.prove, votes=votes, at=self._clock())
        await self._write(votes, vectors, write)

    async def remove(self, cue_ids: Sequence[str]) -> None:
        """Delete cues with their vectors; unknown ids are no error."""
        await self._write([], NO_VECTORS, partial(cue_writes.remove_cues, cue_ids=cue_ids))

    async def _write(
        self,
        cues: Sequence[Cue],
        vectors: Vectors,
        write: Callable[[Connection], set[str]],
    ) -> None:
        fault = vectors_fault(vectors, len(cues), dimension=self._dimension)
        if fault:
            raise UsageError(f"these cues cannot be stored: {fault}")
        if not await asyncio.to_thread(self._catalog.exists):
            return  # nothing is stored, so the memories of all of them are gone
        rows = {cue.cue_id: row for row, cue in enumerate(cues)}
        async with self._writing():
            await to_its_end(
                self._outbox.put_cues(list(rows), vectors[list(rows.values())], write=write)
            )
