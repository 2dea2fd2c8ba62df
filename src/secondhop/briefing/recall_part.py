"""The part of `Recall` that tells what a session starts with."""

from datetime import UTC, datetime
from functools import partial

from secondhop.briefing.briefing import Briefing
from secondhop.briefing.settings import BriefingSettings
from secondhop.briefing.sources import BriefingAsked, BriefingSources
from secondhop.briefing.start import brief
from secondhop.given_values import check_counts, check_moments
from secondhop.learning.service import Learning
from secondhop.memories.service import MemoryService
from secondhop.nodes.services import Services
from secondhop.sync_door import SyncDoor


class BriefsSessions:
    """Methods of `Recall`."""

    memories: MemoryService
    _services: Services
    _door: SyncDoor
    _learning: Learning

    async def abriefing(
        self,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        settings: BriefingSettings | None = None,
    ) -> Briefing:
        """What to know when a session starts, before anything is asked (docs/briefing.md).

        Core memories, what was left open, preferences, and what is new. Writes nothing, asks no
        model, embeds nothing. An entity without memories gets an empty briefing.

        Args:
            limit: entries; default `BriefingSettings.limit` (20).
            tokens: instead of `limit`, what its text may take. Core is shown even if it takes more.
            at: "now"; what was written later is left out. Default the clock, and everything.
            settings: shares, stabilities and what else counts.

        Raises:
            UsageError: a limit below 1, or both.
        """
        check_counts(limit=limit, tokens=tokens)
        check_moments(at=at)
        until = None if at is None else at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
        asked = BriefingAsked(
            now=until or self._services.clock().astimezone(UTC),
            until=until,
            limit=limit,
            tokens=tokens,
            settings=settings or BriefingSettings(),
        )
        sources = BriefingSources(
            entity=self._services.entity,
            store=self.memories.writing.store,
            counters=self.memories.writing.counters,
            cues_after=self._learning.cues_after,
            count_tokens=self.memories.writing.tokens,
        )
        return await brief(sources, asked)

    def briefing(
        self,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        at: datetime | None = None,
        settings: BriefingSettings | None = None,
    ) -> Briefing:
        """As `abriefing`, for callers without an event loop."""
        work = partial(self.abriefing, limit=limit, tokens=tokens, at=at, settings=settings)
        return self._door.call(work)
