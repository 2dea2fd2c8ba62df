"""The interface of planners: what they are given, and what they return."""

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
    """What an entity keeps by name: a fact, or preferences of a context; never what they say."""

    kind: Kind
    """factual or preferential."""
    of: str
    """The subject of a fact; the context of a preference."""
    name: str
    """The attribute of a fact; the topic of a preference, "" for none."""
    memory_ids: tuple[str, ...]
    """What is kept under this name: what holds before what ended, then the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What a planner may know. It sees no memory but the memory map, and names."""

    question: str
    asked_at: datetime
    topics: Sequence[Topic] = ()
    """The memory map; only `expand` is given it."""
    kept: Sequence[KeptName] = ()
    """What a plan may ask for by name, the likeliest first; only `expand` is given it."""
    remaining: Remaining
    """What this step may spend."""
    recall: Remaining | None = None
    """What the whole recall may still spend, for the planner to plan with; None: as `remaining`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFacet:
    """An aspect to look for, with the queries that look for it."""

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
    """What kind of question it is; None when this step does not say."""
    asked: tuple[KeptName, ...] = ()
    """Of what was kept, that which is to be looked up, the most needed first."""
    note: str = ""
    """What else was decided, for the trace."""
    usage: Usage = field(default_factory=Usage)


class Planner(Protocol):
    """Turns a question into facets and queries. `decompose` and `expand` run side by side."""

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
