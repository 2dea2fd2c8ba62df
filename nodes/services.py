"""What the nodes work with; bound when a graph is built."""

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
    """What the embedder's cosines mean."""
    playbooks: Playbooks
    """What a question's intent needs, where no planner says it."""
    planner: Planner | None = None
    """None: no plan is asked for."""
    critic: Critic | None = None
    """None: no votes, and the first round is the last."""
    reranker: Reranker | None = None
    price: TokenPrice | None = None
    """What planner and critic pay for their language model; None: unknown, or they have none."""
    settings: Config = field(default_factory=Config)
    keeping: MemoryKeeping | None = None
    """How memories stand; None: all of them hold."""
    cues: CueSearch | None = None
    """What memories were stored for; None: nothing is known of it."""
    hidden: HiddenMemory = field(default_factory=HiddenMemory, compare=False)
    """What the recalls that run may not show."""
    exposure: ExposureMemory = field(default_factory=ExposureMemory, compare=False)
    """What was shown lately, for `RankingSettings.freshness`."""
    clock: Callable[[], datetime] = UTC_CLOCK
    """When it is, for a recall that was given no time."""


def session_services(services: Services) -> Services:
    """The services of a recall that stays open for votes: it may leave voting to others."""
    return services if services.settings.session.critic else replace(services, critic=None)
