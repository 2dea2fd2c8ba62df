"""Makes briefings for one entity; checks the arguments of `MemoryService.abriefing`."""

from dataclasses import dataclass
from datetime import UTC, datetime

from secondhop.briefing.briefing import Briefing
from secondhop.briefing.sources import BriefingAsked, BriefingSources
from secondhop.briefing.start import brief
from secondhop.given_values import check_counts, check_moments
from secondhop.memories.writing import MemoryWriting
from secondhop.nodes.config import BriefingSettings
from secondhop.nodes.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefings:
    """Briefings of one entity."""

    services: Services
    writing: MemoryWriting

    async def brief(
        self,
        *,
        limit: int | None,
        tokens: int | None,
        at: datetime | None,
        settings: BriefingSettings | None,
    ) -> Briefing:
        """See `MemoryService.abriefing`."""
        check_counts(limit=limit, tokens=tokens)
        check_moments(at=at)
        until = None if at is None else at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
        asked = BriefingAsked(
            now=until or self.services.clock().astimezone(UTC),
            until=until,
            limit=limit,
            tokens=tokens,
            settings=settings or self.services.settings.briefing,
        )
        sources = BriefingSources(
            entity=self.services.entity,
            store=self.writing.store,
            counters=self.writing.counters,
            count_tokens=self.writing.tokens,
        )
        return await brief(sources, asked)
