"""The port of planners: what they get, and what they return."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from secondhop.models.llm import Usage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.state import QuestionKind
from secondhop.stores.keeping import Kind
from secondhop.stores.records import Topic


class KeptName(NamedTuple):
    """The name of a fact, or of the preferences of a context; never what they say."""

    kind: Kind
    """factual or preferential."""
    of: str
    """The subject of a fact; the context of a preference."""
    name: str
    """The attribute of a fact; the topic of a preference, "" for none."""
    memory_ids: tuple[str, ...]
    """The memories with this name: those that hold before those that ended, then newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What a planner gets. It sees no memories, only the memory map (topics) and names."""

    question: str
    asked_at: datetime
    topics: Sequence[Topic] = ()
    """The memory map; only for `expand`."""
    kept: Sequence[KeptName] = ()
    """The names that a plan may ask for, likeliest first; only for `expand`."""
    remaining: Remaining
    """What this step may spend."""
    recall: Remaining | None = None
    """What the whole recall may still spend, which the prompt states; None: same as `remaining`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFacet:
    """A facet to look for, with its queries."""

    name: str
    why: str
    hop: int
    queries: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Facets, most important first."""

    facets: tuple[PlannedFacet, ...]
    kind: QuestionKind | None = None
    """The kind of question; None: this step does not say."""
    asked: tuple[KeptName, ...] = ()
    """The names of `PlanRequest.kept` to look up, most needed first."""
    note: str = ""
    """What else was decided, for the trace."""
    usage: Usage = field(default_factory=Usage)


class Planner(Protocol):
    """Turns a question into facets and queries. `decompose` and `expand` run in parallel."""

    @property
    def planner_id(self) -> str:
        """Names the planner and its version, for traces and cache keys."""
        ...

    async def decompose(self, request: PlanRequest) -> Plan:
        """Hop 1: what the question itself names."""
        ...

    async def expand(self, request: PlanRequest) -> Plan:
        """Hop 2: what its intent implies."""
        ...
