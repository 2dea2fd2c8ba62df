"""Every number of a recall that a caller may change, with its default, in one place."""

from dataclasses import asdict, dataclass, field
from math import inf
from typing import Literal, TypeAlias

from secondhop.nodes.learning_settings import LearningSettings
from secondhop.nodes.selection.source_priority import parsed_priority
from secondhop.ranking.redundancy import REDUNDANCY

Diversity: TypeAlias = Literal["facets", "xquad", "pm2", "in_turn", "mmr", "none"]


Recency: TypeAlias = Literal["auto", "always", "never"]

REDUNDANCY_NAMES = ("evidence", *sorted(REDUNDANCY))
"""How repeated information can be measured; "evidence" is ours."""


SHORTLIST_LIMIT = 200
"""Candidates; no model reads more of them with care."""

COUNT_LIMIT = 1_000_000
"""Of memories, rounds, queries, calls; `DEPTH_LIMIT` times as many is still a number that vector
stores can be asked for."""

DEPTH_LIMIT = 1_000

TOKENS_LIMIT = 1_000_000_000

DEADLINE_LIMIT_S = 604_800.0
"""A week; far beyond, a clock cannot tell a recall's milliseconds any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLimits:
    """How much a recall may return and spend. Every bound is hard."""

    k: int = 6
    """Memories to return."""
    rounds: int = 4
    """Times through retrieve."""
    queries: int = 48
    """Queries a round."""
    shortlist: int = 28
    """Candidates the critic reads a round."""
    rerank_pairs: int = 50
    """(question, passage) pairs the reranker reads a round."""
    llm_calls: int = 8
    """Calls to a language model, all nodes together."""
    llm_tokens: int = 40_000
    """Prompt and completion tokens, all nodes together."""
    deadline_s: float = 30.0
    """Seconds of wall time; then the best answer so far is returned."""
    maybe: int = 6
    """Near misses to report."""
    max_evidence_tokens: int = 2_000
    """Tokens of evidence a memory: what was found, then what stands beside it and belongs to it.
    Its best passage comes back however long it is."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            check_finite(f"RecallLimits.{name}", limit)
        for name in ("k", "rounds", "queries"):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=1)
        for name in ("rerank_pairs", "llm_calls", "maybe"):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=0)
        for name, least in (("llm_tokens", 0), ("max_evidence_tokens", 1)):
            check_count(f"RecallLimits.{name}", getattr(self, name), least=least, most=TOKENS_LIMIT)
        check_count("RecallLimits.shortlist", self.shortlist, least=1, most=SHORTLIST_LIMIT)
        if self.deadline_s <= 0:
            raise ValueError("RecallLimits.deadline_s must be above 0 seconds")
        if self.deadline_s > DEADLINE_LIMIT_S:
            raise ValueError(
                f"RecallLimits.deadline_s must be at most {DEADLINE_LIMIT_S:,.0f} (a week)"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSettings:
    """How candidates are scored, fused and diversified."""

    min_score: float = 0.35
    """Calibrated relevance, 0..1, below which nothing is returned."""
    dense_weight: float = 0.7
    """Share of the dense leg in a calibrated score and in fusion."""
    lexical_weight: float = 0.3
    """Share of the lexical leg."""
    lookup_shift: float = 0.1
    """Weight that goes from the dense to the lexical leg when a fact or a date is looked up:
    names and identifiers matter more there."""
    recency: Recency = "auto"
    """When age takes from relevance: for questions about the present, always, or never."""
    recency_days: float = 730.0
    """Age in days at which nothing would be left; never less than half is."""
    hide_later: bool = False
    """Whether a question sees nothing that was written after its time, and believes what was
    believed then."""
    source_priority: str = "conversation=0.9"
    """Factors on relevance by source: what was written down counts for more than what was said.
    Sources that are not named have 1; only differences between the sources found count."""
    salience_weight: float = 0.2
    """How much salience (0..1, 0.5 for most) may add to, or take from, relevance."""
    freshness: float = 0.0
    """0..1: how much what was shown lately for other questions yields to what was not. 0: not at
    all; more brings variety and costs relevance (docs/ranking.md)."""
    correct_hubs: bool = True
    """Take from a dense score what the memory would get from any question (half of CSLS)."""
    rrf_k: int = 60
    """Damping constant of reciprocal rank fusion."""
    depth_factor: int = 4
    """Memories a query brings, as a multiple of k."""
    diversity: Diversity = "facets"
    """How slots are shared: by facets (ours), or one of the baselines."""
    facet_closing: float = 3.0
    """How well a pick must serve a facet to close it for the next: 1 as in xQuAD; higher, and
    only the really relevant do."""
    redundancy: str = "evidence"
    """How repeated information is measured; a name in secondhop.ranking.redundancy."""
    redundancy_limit: float = 0.55
    """Share of a candidate's evidence that picked ones already say, above which it waits."""
    mmr_lambda: float = 0.5
    """1 is relevance alone; used by diversity="mmr"."""
    xquad_lambda: float = 0.9
    """Share of the facets in the gain, the rest is relevance to the question as a whole; used by
    diversity="facets" and "xquad". In MMR the lambda is the other way round."""
    pm2_lambda: float = 0.5
    """How much the facet whose seat it is decides; 1: nothing else. Used by diversity="pm2"."""
    direct_weight: float = 1.5
    """Weight of the question itself against facets, whose weights lie around 1."""
    stable_jaccard: float = 0.8
    """Overlap of the hot and warm memories of two rounds that counts as stable."""

    def __post_init__(self) -> None:
        for name in ("min_score", "dense_weight", "lexical_weight", "redundancy_limit"):
            check_share(name, getattr(self, name))
        for name in ("mmr_lambda", "xquad_lambda", "pm2_lambda", "stable_jaccard", "lookup_shift"):
            check_share(name, getattr(self, name))
        for name, setting in asdict(self).items():
            if isinstance(setting, float):
                check_finite(f"RankingSettings.{name}", setting)
        check_count("RankingSettings.rrf_k", self.rrf_k, least=1)
        check_count("RankingSettings.depth_factor", self.depth_factor, least=1, most=DEPTH_LIMIT)
        for name in ("direct_weight", "facet_closing", "recency_days"):
            if not getattr(self, name) > 0:
                raise ValueError(f"RankingSettings.{name} must be above 0")
        parsed_priority(self.source_priority)
        check_share("salience_weight", self.salience_weight)
        check_share("freshness", self.freshness)
        if self.redundancy not in REDUNDANCY_NAMES:
            raise ValueError(
                f"no redundancy measure {self.redundancy!r}; choose one of: "
                f"{', '.join(REDUNDANCY_NAMES)}"
            )


def check_finite(name: str, value: float) -> None:
    """Raises ValueError for what is infinite, or no number (nan)."""
    if not -inf < value < inf:
        raise ValueError(f"{name} must be a finite number, not {value}")


def check_count(name: str, count: int, *, least: int, most: int = COUNT_LIMIT) -> None:
    """Raises ValueError for less than `least` or more than `most`."""
    if count < least:
        raise ValueError(f"{name} must be at least {least}")
    if count > most:
        raise ValueError(f"{name} must be at most {most:,}")


def check_share(name: str, value: float) -> None:
    """Raises ValueError for what is no share."""
    if not 0 <= value <= 1:
        raise ValueError(f"RankingSettings.{name} must lie in 0..1, not {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSettings:
    """What a language model is asked for when it plans."""

    rewordings: int = 2
    """The question in other words (synonyms, abbreviations spelt out): so many queries; 0: none."""
    hyde: bool = False
    """One query more: a passage as the memory that answers might hold it (HyDE: Gao et al., ACL
    2023, doi:10.18653/v1/2023.acl-long.99). Off: facet queries are written like memories already.
    """
    facets: int = 6
    """Facets that the question does not name."""
    facet_queries: int = 3
    """Queries a facet."""

    def __post_init__(self) -> None:
        for name, least in (("rewordings", 0), ("facets", 0), ("facet_queries", 1)):
            check_finite(f"PlanningSettings.{name}", getattr(self, name))
            check_count(f"PlanningSettings.{name}", getattr(self, name), least=least)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """Limits, ranking, planning and learning together: what a trace records."""

    limits: RecallLimits = field(default_factory=RecallLimits)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    planning: PlanningSettings = field(default_factory=PlanningSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)

    def flat(self) -> dict[str, float | int | str | bool | None]:
        """{"limits.k": 6, …}."""
        return {
            f"{part}.{name}": setting
            for part, settings in asdict(self).items()
            for name, setting in settings.items()
        }
