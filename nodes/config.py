"""`Config`: every setting and its default, in one place."""

from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from pydantic import AfterValidator, Field, FiniteFloat, TypeAdapter, ValidationError

from secondhop.errors import SettingError
from secondhop.nodes.selection.source_priority import checked_priority

Diversity: TypeAlias = Literal["facets", "mmr", "none"]
Recency: TypeAlias = Literal["auto", "always", "never"]

SHORTLIST_LIMIT = 56
"""Most candidates on a shortlist: as many as `fuse` keeps for a question without a plan."""

COUNT_LIMIT = 1_000_000
"""Highest number of memories, rounds, queries or calls. Vector stores still accept a request for
`DEPTH_LIMIT` times as many."""

DEPTH_LIMIT = 1_000

TOKENS_LIMIT = 1_000_000_000

TTL_LIMIT_S = 31_536_000.0
"""A year. Much larger numbers lie outside what clocks and the calendar can represent."""

DEADLINE_LIMIT_S = 604_800.0
"""A week. Far above that, a clock no longer resolves the milliseconds of a recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Settings that cannot be made with a value outside the types and bounds of their fields."""

    def __post_init__(self) -> None:
        for name, allowed in self._allowed().items():
            try:
                allowed.validate_python(getattr(self, name), strict=True)
            except ValidationError as error:
                raise SettingError(fault_of(error, type(self).__name__, name)) from error

    @classmethod
    @cache
    def _allowed(cls) -> dict[str, TypeAdapter[Any]]:
        hints = get_type_hints(cls, include_extras=True)
        return {name: TypeAdapter(hint) for name, hint in hints.items()}


def fault_of(error: ValidationError, *path: str) -> str:
    """The first problem in words; `path` is the part of the setting's name that the error lacks."""
    problem = error.errors()[0]
    name = ".".join(map(str, (*path, *problem["loc"])))
    said = problem["msg"].removeprefix("Value error, ")
    return f"{name} cannot be {problem['input']!r:.60}: {said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLimits(Checked):
    """How much a recall may return and spend. Every bound is hard."""

    k: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 6
    """Memories to return."""
    rounds: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 4
    """Rounds of searching."""
    queries: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 48
    """Queries per round."""
    shortlist: Annotated[int, Field(ge=1, le=SHORTLIST_LIMIT)] = 28
    """Candidates that the critic reads per round."""
    llm_calls: Annotated[int, Field(ge=0, le=COUNT_LIMIT)] = 8
    """Calls to a language model, all nodes together."""
    llm_tokens: Annotated[int, Field(ge=0, le=TOKENS_LIMIT)] = 40_000
    """Prompt and completion tokens, all nodes together."""
    deadline_s: Annotated[FiniteFloat, Field(gt=0, le=DEADLINE_LIMIT_S)] = 30.0
    """Seconds of wall time; then the best answer so far is returned. If the store has not even said
    by then whether it holds memories, StoreUnavailableError is raised."""
    maybe: Annotated[int, Field(ge=0, le=COUNT_LIMIT)] = 6
    """Near misses to report."""
    max_evidence_tokens: Annotated[int, Field(ge=1, le=TOKENS_LIMIT)] = 2_000
    """Tokens of evidence per memory: the passages found, then their neighbours that belong to them.
    The best passage comes back however long it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSettings(Checked):
    """How candidates are scored, fused and diversified."""

    min_score: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.35
    """Calibrated relevance, 0..1. With a plan, a memory below it is not returned. With or without
    one, nothing is returned unless the nearest memory reaches a share of it."""
    recency: Recency = "auto"
    """When age lowers relevance: for questions about the present (auto), always, or never."""
    recency_days: Annotated[FiniteFloat, Field(gt=0)] = 730.0
    """Age in days at which the linear decay would reach 0; the factor stops at 0.5."""
    hide_later: bool = False
    """Whether a question sees only what was written before it was asked, and what was believed
    then."""
    source_priority: Annotated[str, AfterValidator(checked_priority)] = ""
    """Text: factors on relevance by source, like "conversation=0.9, note=1.2". Sources that are not
    named have 1. Only differences between the sources found matter."""
    freshness: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0
    """0..1: how much a memory loses if it was shown for other questions lately. 0: nothing. Higher
    values bring variety and cost relevance (docs/ranking.md)."""
    depth_factor: Annotated[int, Field(ge=1, le=DEPTH_LIMIT)] = 4
    """Memories that a query brings, as a multiple of k."""
    diversity: Diversity = "facets"
    """How slots are shared: by facets, or by one of the baselines (mmr, none)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSettings(Checked):
    """How much a plan of a language model may hold."""

    rewordings: Annotated[int, Field(ge=0, le=COUNT_LIMIT)] = 2
    """Queries that put the question in other words (synonyms, abbreviations spelt out); 0: none."""
    facets: Annotated[int, Field(ge=0, le=COUNT_LIMIT)] = 6
    """Facets that the question does not name."""
    facet_queries: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 3
    """Queries per facet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings(Checked):
    """How long a recall stays open, and what a round of it shows."""

    k: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 5
    """Memories that a round shows in addition to those that were voted for."""
    max_rounds: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 4
    """Answers that a session gives; votes on the last one count when the session is resolved."""
    ttl_s: Annotated[FiniteFloat, Field(gt=0, le=TTL_LIMIT_S)] = 300.0
    """Seconds without a vote after which a session expires."""
    critic: bool = True
    """Whether the critic votes, too; its vote never outranks a person's or an agent's."""
    learn: bool = True
    """Whether a resolved session stores its question as a cue for the memories that helped or did
    not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingSettings(Checked):
    """How a briefing divides its room."""

    limit: Annotated[int, Field(ge=1, le=COUNT_LIMIT)] = 20
    """Entries, if the caller limits neither entries nor tokens."""
    active: Annotated[FiniteFloat, Field(gt=0)] = 0.3
    """Share for things to do and open threads, of the room that core memories leave."""
    preferences: Annotated[FiniteFloat, Field(gt=0)] = 0.3
    recent: Annotated[FiniteFloat, Field(gt=0)] = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings(Checked):
    """How many traces of recalls are kept per entity, and for how long."""

    max_count: Annotated[int, Field(ge=0, le=COUNT_LIMIT)] = 200
    """Traces to keep, the newest; some more exist until the next clean-up. 0: none is written, and
    no recall can be explained later."""
    max_days: Annotated[FiniteFloat, Field(gt=0)] = 90.0
    """Days since the recall."""
    max_mb: Annotated[FiniteFloat, Field(gt=0)] = 20.0
    """Megabytes on disk, all traces together; a usual trace takes about 0.01."""


@dataclass(frozen=True, kw_only=True)
class Config(Checked):
    """Everything that a caller may set, in groups. Frozen, and checked when it is created.

    >>> Config(limits=RecallLimits(k=3)).limits.k
    3
    """

    limits: RecallLimits = field(default_factory=RecallLimits)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    planning: PlanningSettings = field(default_factory=PlanningSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    briefing: BriefingSettings = field(default_factory=BriefingSettings)
    traces: TraceSettings = field(default_factory=TraceSettings)

    def flat(self) -> dict[str, float | int | str | bool | None]:
        """Every setting by its dotted name: {"limits.k": 6, …}."""
        return {
            f"{part}.{name}": setting
            for part, settings in asdict(self).items()
            for name, setting in settings.items()
        }

    @cached_property
    def recorded(self) -> dict[str, float | int | str | bool | None]:
        """The settings that a trace records: all but those of sessions, briefings and traces."""
        apart = ("session.", "briefing.", "traces.")
        return {name: value for name, value in self.flat().items() if not name.startswith(apart)}
