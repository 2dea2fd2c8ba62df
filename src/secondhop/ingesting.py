"""Ingests into an open memory, then annotates if there is a model."""

from collections.abc import Iterable
from dataclasses import replace

from secondhop.annotate.service import Annotating
from secondhop.given_values import given_paths
from secondhop.ingest.ledger import IngestLedger
from secondhop.ingest.pipeline import ingest
from secondhop.ingest.run import IngestProgress, Leaving
from secondhop.ingest.settings import IngestSettings
from secondhop.opening import Parts


class Ingesting:
    """Files and folders become memories of one entity."""

    def __init__(self, parts: Parts, *, annotating: Annotating, leaving: Leaving) -> None:
        """`leaving` hears of memories right before they go."""
        self._parts, self._annotating, self._leaving = parts, annotating, leaving

    async def ingest(
        self,
        paths: Iterable[object],
        *,
        format: str | None,
        tags: tuple[str, ...],
        progress: IngestProgress | None,
        dry_run: bool,
        annotate: bool | None,
    ) -> IngestLedger:
        """See `Recall.aingest`."""
        parts, given = self._parts, given_paths(paths)
        if annotate:
            self._annotating.expect_model()
        ledger = await ingest(
            given,
            writer=parts.store,
            embedder=parts.embedders.entity,
            settings=IngestSettings(format=format, tags=tags),
            progress=progress,
            dry_run=dry_run,
            leaving=self._leaving,
        )
        if dry_run:
            return ledger
        if annotate or (annotate is None and parts.llm is not None):
            return replace(ledger, annotation=await self._annotating.run(progress=progress))
        return ledger
