"""Combines models, store and settings into the services of a recall graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from secondhop.models.embedder import Embedder, HoldsConnections
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import PriceTable, load_prices, price_of
from secondhop.models.reranker import Reranker
from secondhop.nodes.config import Config
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.port import Planner
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.selection.scale_file import read_scale
from secondhop.nodes.services import Services
from secondhop.prompts.library import shipped_intents
from secondhop.prompts.templates import PromptSource
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.ranking.coverage import Sharpening
from secondhop.ranking.keyphrases import topic_names
from secondhop.shared_playbooks import SharedPlaybooks, shared_playbooks
from secondhop.stores.entity_store import EntityStore

SCALES: Mapping[str, ModelScale] = {
    "bge-small-en-v1.5": ModelScale(
        calibration=LogisticCalibration(slope=21.81, intercept=-13.54),
        same_context=Sharpening(lo=0.78, hi=0.86),
    ),
    "hashing": ModelScale(
        calibration=LogisticCalibration(slope=12.0, intercept=-4.2),
        same_context=Sharpening(lo=0.35, hi=0.60),
    ),
    "openai:text-embedding-3": ModelScale(
        calibration=LogisticCalibration(slope=16.0, intercept=-6.4),
        repeats=Sharpening(lo=0.65, hi=0.92),
        successor_at=0.60,
        same_context=Sharpening(lo=0.55, hi=0.75),
    ),
}
"""By the beginning of a model id. The calibrations are one half at 0.62, 0.35 and 0.40.

For the default, calibration is what `secondhop eval calibrate` finds on
examples/scenarios. The other numbers were measured, too: of 40 pairs in which the newer memory
replaced the older, 35 lay above 0.76; of 69 questions, none lay nearer than 0.79 to the mean of
several wordings of another, and nine of ten lay above 0.87 to that of their own. What stands for
other models are estimates.
"""

UNKNOWN_MODEL = ModelScale(calibration=LogisticCalibration(slope=14.0, intercept=-7.0))
"""For other models: one half at 0.5, a guess; `secondhop eval calibrate` makes a better one."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedder of one entity with its cache, and the playbooks."""

    owned: Sequence[object]
    """Models whose connections are ours to close."""
    entity: CachingEmbedder
    library: SharedPlaybooks

    async def aclose(self) -> None:
        """Close the cache files and the connections of the model, if it has any."""
        self.entity.close()
        self.library.close()
        for model in self.owned:
            if isinstance(model, HoldsConnections):
                await model.aclose()


def cached_embedders(
    base: Embedder,
    *,
    entity_cache: Path,
    owned: Sequence[object] = (),
    library_cache: Path | None = None,
) -> Embedders:
    """One cache an entity, so that no vector of its texts lies in another's file.

    The playbooks are public: their cache is the user's, and lasts beyond a store.
    """
    own = CachingEmbedder(base, entity_cache, of_entity=True)
    shared = library_cache or user_cache_path("secondhop") / "playbooks.db"
    library = shared_playbooks(base, shared, intents=shipped_intents())
    return Embedders(owned, own, library)


def scale_of(model_id: str) -> ModelScale:
    """The scale that fits a model."""
    for beginning, scale in SCALES.items():
        if model_id.startswith(beginning):
            return scale
    return UNKNOWN_MODEL


def chosen_scale(given: str | Path | ModelScale | None, *, model_id: str) -> ModelScale:
    """The scale that was given, in a file or made; None: the one that fits the model.

    Raises:
        UsageError: the file cannot be read, is no scale, or was made for another model.
    """
    if isinstance(given, ModelScale):
        return given
    shipped = scale_of(model_id)
    if given is None:
        return shipped
    return read_scale(Path(given).expanduser(), embedder_id=model_id, shipped=shipped)


def assemble(
    store: EntityStore,
    embedders: Embedders,
    *,
    entity: str,
    settings: Config,
    reranker: Reranker | None = None,
    llm: StructuredLLM | None = None,
    prompts: PromptSource | None = None,
    prices: PriceTable | None = None,
    scale: ModelScale | None = None,
) -> Services:
    """The services of one entity's recall graph; no language model means no planner, no critic.

    Args:
        scale: of the embedding model; None: the one that ships for it.

    Raises:
        PromptError: a file of the folder `prompts` is faulty.
    """
    playbooks = embedders.library.playbooks
    planner: Planner | None = None
    critic: Critic | None = None
    if llm is not None:
        from secondhop.nodes.llm_services import llm_services

        planner, critic = llm_services(llm, prompts=prompts, planning=settings.planning)
    scale = scale or scale_of(embedders.entity.model_id)
    store.map.phrases_of = topic_names
    return Services(
        entity=entity,
        search=store,
        reader=store,
        cues=store.cues,
        keeping=store,
        embedder=embedders.entity,
        scale=scale,
        playbooks=playbooks,
        planner=planner,
        critic=critic,
        reranker=reranker,
        price=price_of(llm.model_id, prices or load_prices()) if llm is not None else None,
        settings=settings,
    )
