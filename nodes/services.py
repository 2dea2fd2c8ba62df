"""The models, stores and settings that the nodes use; bound when a graph is built."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from secondhop.models.embedder import Embedder
from secondhop.models.prices import TokenPrice
from secondhop.models.reranker import Reranker
from secondhop.nodes.config import Config
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.nodes.planning.port import Planner
from secondhop.nodes.selection.exposure import ExposureMemory
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.selection.visibility import HiddenMemory, MemoryKeeping
from secondhop.stores.protocols import CueSearch, MemoryReader, MemorySearch

UTC_CLOCK: Final = partial(datetime.now, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Models, stores and settings of one entity's recall graph."""

    entity: str
    search: MemorySearch
    reader: MemoryReader
    embedder: Embedder
    scale: ModelScale
    """How to read the embedder's cosines."""
    playbooks: Playbooks
    """What a question's intent needs, if there is no plan."""
    planner: Planner | None = None
    """None: recalls are not planned."""
    critic: Critic | None = None
    """None: no votes, and the first round is the last."""
    reranker: Reranker | None = None
    price: TokenPrice | None = None
    """Price of the language model of planner and critic; None: unknown, or there is no model."""
    settings: Config = field(default_factory=Config)
    keeping: MemoryKeeping | None = None
    """Which memories hold; None: all do."""
    cues: CueSearch | None = None
    """None: there are no cues."""
    hidden: HiddenMemory = field(default_factory=HiddenMemory, compare=False)
    """What running recalls may not show."""
    exposure: ExposureMemory = field(default_factory=ExposureMemory, compare=False)
    """What was shown lately, for `RankingSettings.freshness`."""
    clock: Callable[[], datetime] = UTC_CLOCK
    """The current time, for recalls without `asked_at`."""


def session_services(services: Services) -> Services:
    """The services of a session: without the critic if `SessionSettings.critic` is off."""
    return services if services.settings.session.critic else replace(services, critic=None)
