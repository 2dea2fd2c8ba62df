"""Puts models, store and settings together into the services of a recall graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from secondhop.models.coalescing import CoalescingEmbedder
from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.reranker import Reranker
from secondhop.nodes.coverage_critic import CoverageCritic
from secondhop.nodes.playbook_planner import PlaybookPlanner
from secondhop.nodes.services import Services
from secondhop.nodes.settings import RecallSettings
from secondhop.prompts.library import shipped_intents
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.stores.entity_store import EntityStore

CALIBRATIONS: Mapping[str, LogisticCalibration] = {
    "bge-small-en-v1.5": LogisticCalibration(slope=22.2, intercept=-13.76),
    "hashing": LogisticCalibration(slope=12.0, intercept=-4.2),
    "openai:text-embedding-3": LogisticCalibration(slope=16.0, intercept=-6.4),
}
"""Cosine → 0..1 by the beginning of a model id; one half at 0.62, 0.35 and 0.40.

For the default the middle was read off labelled question-passage pairs: at a cosine of 0.62 a
passage is as likely to help as not to be missed.
"""

UNKNOWN_MODEL = LogisticCalibration(slope=14.0, intercept=-7.0)
"""For other models: one half at 0.5."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedder of one entity, and of the playbooks, with their caches."""

    entity: CoalescingEmbedder
    library: CachingEmbedder
    caches: tuple[CachingEmbedder, ...]

    def close(self) -> None:
        """Close the cache files."""
        for cache in self.caches:
            cache.close()


def cached_embedders(
    base: Embedder, *, entity_cache: Path, library_cache: Path | None = None
) -> Embedders:
    """One cache an entity, so that no vector of its texts lies in another's file.

    The playbooks are nobody's secret: their cache is the user's, and lasts beyond a store.
    """
    own = CachingEmbedder(base, entity_cache)
    shared = library_cache or user_cache_path("secondhop") / "playbooks.db"
    library = CachingEmbedder(base, shared)
    return Embedders(CoalescingEmbedder(own), library, (own, library))


def calibration_of(model_id: str) -> LogisticCalibration:
    """The calibration that fits a model."""
    for beginning, calibration in CALIBRATIONS.items():
        if model_id.startswith(beginning):
            return calibration
    return UNKNOWN_MODEL


def assemble(
    store: EntityStore,
    embedders: Embedders,
    *,
    entity: str,
    settings: RecallSettings,
    reranker: Reranker | None = None,
) -> Services:
    """The services of one entity's recall graph, without a language model."""
    planner = PlaybookPlanner(
        shipped_intents(),
        embedder=embedders.entity,
        library_embedder=embedders.library,
        facets=settings.ranking.facets,
    )
    critic = CoverageCritic(min_score=settings.ranking.min_score)
    return Services(
        entity=entity,
        search=store,
        reader=store,
        embedder=embedders.entity,
        calibration=calibration_of(embedders.entity.model_id),
        planner=planner,
        critic=critic,
        offline_planner=planner,
        offline_critic=critic,
        reranker=reranker,
        settings=settings,
    )
