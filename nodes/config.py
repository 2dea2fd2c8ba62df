"""`Config`: every setting and its default, in one place."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import inf
from typing import Literal, TypeAlias, cast

from secondhop.errors import SettingError
from secondhop.nodes.selection.source_priority import parsed_priority

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
class RecallLimits:
    """How much a recall may return and spend. Every bound is hard."""

    k: int = 6
    """Memories to return."""
    rounds: int = 4
    """Rounds of searching."""
    queries: int = 48
    """Queries per round."""
    shortlist: int = 28
    """Candidates that the critic reads per round."""
    llm_calls: int = 8
    """Calls to a language model, all nodes together."""
    llm_tokens: int = 40_000
    """Prompt and completion tokens, all nodes together."""
    deadline_s: float = 30.0
    """Seconds of wall time; then the best answer so far is returned."""
    maybe: int = 6
    """Near misses to report."""
    max_evidence_tokens: int = 2_000
    """Tokens of evidence per memory: the passages found, then their neighbours that belong to them.
    The best passage comes back however long it is."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            check_finite(f"RecallLimits.{name}", limit)
        for name in ("k", "rounds", "queries"):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=1)
        for name in ("llm_calls", "maybe"):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=0)
        for name, least in (("llm_tokens", 0), ("max_evidence_tokens", 1)):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=least, most=TOKENS_LIMIT)
        check_count("RecallLimits.shortlist", self.shortlist, least=1, most=SHORTLIST_LIMIT)
        if self.deadline_s <= 0:
            raise SettingError("RecallLimits.deadline_s must be above 0 seconds")
        if self.deadline_s > DEADLINE_LIMIT_S:
            raise SettingError(
                f"RecallLimits.deadline_s must be at most {DEADLINE_LIMIT_S:,.0f} (a week)"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSettings:
    """How candidates are scored, fused and diversified."""

    min_score: float = 0.35
    """Calibrated relevance, 0..1. With a plan, a memory below it is not returned. With or without
    one, nothing is returned unless the nearest memory reaches a share of it."""
    recency: Recency = "auto"
    """When age lowers relevance: for questions about the present (auto), always, or never."""
    recency_days: float = 730.0
    """Age in days at which the linear decay would reach 0; the factor stops at 0.5."""
    hide_later: bool = False
    """Whether a question sees only what was written before it was asked, and what was believed
    then."""
    source_priority: str = "conversation=0.9"
    """Factors on relevance by source; by default, written notes count more than conversations.
    Sources that are not named have 1. Only differences between the sources found matter."""
    freshness: float = 0.0
    """0..1: how much a memory loses if it was shown for other questions lately. 0: nothing. Higher
    values bring variety and cost relevance (docs/ranking.md)."""
    depth_factor: int = 4
    """Memories that a query brings, as a multiple of k."""
    diversity: Diversity = "facets"
    """How slots are shared: by facets, or by one of the baselines (mmr, none)."""

    def __post_init__(self) -> None:
        check_share("min_score", self.min_score)
        for name, setting in asdict(self).items():
            if isinstance(setting, float):
                check_finite(f"RankingSettings.{name}", setting)
        check_count("RankingSettings.depth_factor", self.depth_factor, least=1, most=DEPTH_LIMIT)
        if not self.recency_days > 0:
            raise SettingError("RankingSettings.recency_days must be above 0")
        parsed_priority(self.source_priority)
        check_share("freshness", self.freshness)


def check_finite(name: str, value: float) -> None:
    """Raises SettingError if the value is not a finite number."""
    if not isinstance(cast(object, value), int | float):
        raise SettingError(f"{name} must be a number, not {value!r:.60} ({type(value).__name__})")
    if not -inf < value < inf:
        raise SettingError(f"{name} must be a finite number, not {value}")


def check_count(name: str, count: int, *, least: int, most: int = COUNT_LIMIT) -> None:
    """Raises SettingError if the count is below `least` or above `most`."""
    if count < least:
        raise SettingError(f"{name} must be at least {least}")
    if count > most:
        raise SettingError(f"{name} must be at most {most:,}")


def check_share(name: str, value: float) -> None:
    """Raises SettingError if the value is not a number from 0 to 1."""
    check_finite(f"RankingSettings.{name}", value)
    if not 0 <= value <= 1:
        raise SettingError(f"RankingSettings.{name} must lie in 0..1, not {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSettings:
    """How much a plan of a language model may hold."""

    rewordings: int = 2
    """Queries that put the question in other words (synonyms, abbreviations spelt out); 0: none."""
    facets: int = 6
    """Facets that the question does not name."""
    facet_queries: int = 3
    """Queries per facet."""

    def __post_init__(self) -> None:
        for name, least in (("rewordings", 0), ("facets", 0), ("facet_queries", 1)):
            check_finite(f"PlanningSettings.{name}", getattr(self, name))
            check_count(f"PlanningSettings.{name}", getattr(self, name), least=least)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How long a recall stays open, and what a round of it shows."""

    k: int = 5
    """Memories that a round shows in addition to those that were voted for."""
    max_rounds: int = 4
    """Answers that a session gives; votes on the last one count when the session is resolved."""
    ttl_s: float = 300.0
    """Seconds without a vote after which a session expires."""
    critic: bool = True
    """Whether the critic votes, too; its vote never outranks a person's or an agent's."""
    learn: bool = True
    """Whether a resolved session stores its question as a cue for the memories that helped or did
    not help."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            check_finite(f"SessionSettings.{name}", limit)
        for name, least in (("k", 1), ("max_rounds", 1)):
            check_count(f"SessionSettings.{name}", getattr(self, name), least=least)
        if not 0 < self.ttl_s <= TTL_LIMIT_S:
            raise SettingError(
                f"SessionSettings.ttl_s must be above 0 seconds, and at most "
                f"{TTL_LIMIT_S:,.0f} (a year)"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingSettings:
    """How a briefing divides its room."""

    limit: int = 20
    """Entries, if the caller limits neither entries nor tokens."""
    active: float = 0.3
    """Share for things to do and open threads, of the room that core memories leave."""
    preferences: float = 0.3
    recent: float = 0.4

    def __post_init__(self) -> None:
        check_count("BriefingSettings.limit", self.limit, least=1)
        for name in ("active", "preferences", "recent"):
            if not 0 < getattr(self, name) < inf:
                raise SettingError(f"BriefingSettings.{name} must be a number above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """How many traces of recalls are kept per entity, and for how long."""

    max_count: int = 200
    """Traces to keep, the newest; some more exist until the next clean-up. 0: none is written, and
    no recall can be explained later."""
    max_days: float = 90.0
    """Days since the recall."""
    max_mb: float = 20.0
    """Megabytes on disk, all traces together; a usual trace takes about 0.01."""

    def __post_init__(self) -> None:
        check_count("TraceSettings.max_count", self.max_count, least=0)
        for name in ("max_days", "max_mb"):
            check_finite(f"TraceSettings.{name}", getattr(self, name))
            if getattr(self, name) <= 0:
                raise SettingError(f"TraceSettings.{name} must be above 0")


_GROUPS: Mapping[str, type[object]] = {
    "limits": RecallLimits,
    "ranking": RankingSettings,
    "planning": PlanningSettings,
    "session": SessionSettings,
    "briefing": BriefingSettings,
    "traces": TraceSettings,
}


@dataclass(frozen=True, kw_only=True)
class Config:
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

    def __post_init__(self) -> None:
        for name, wanted in _GROUPS.items():
            given: object = getattr(self, name)
            if not isinstance(given, wanted):
                raise SettingError(
                    f"Config.{name} must be {wanted.__name__}(…), "
                    f"not {given!r:.60} ({type(given).__name__})"
                )

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
