"""Builds the trace from the final state of a recall."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

from secondhop.graph.trace import (
    SCHEMA_VERSION,
    RecallTrace,
    TraceCandidate,
    TraceDrop,
    TraceFacet,
    TraceFacetScore,
    TraceHidden,
    TracePreference,
    TraceQuery,
    TraceStep,
    TraceVote,
)
from secondhop.nodes.budget import spent_fields
from secondhop.nodes.effort import planning_steps
from secondhop.nodes.reasons import why
from secondhop.nodes.resolve import served_facets
from secondhop.nodes.selection.answerable import admitting_min_score
from secondhop.nodes.selection.relevance import (
    NEWER,
    UNNAMED,
    UNNAMED_FACTOR,
    newer_factor,
    score_factors,
)
from secondhop.nodes.selection.slots import slot_rule
from secondhop.nodes.services import Services
from secondhop.nodes.state import Drop, Query, RecallState, Vote
from secondhop.prompts.templates import Prompted

PLAYBOOKS, NOBODY = "playbooks", "none"
"""The planner in a trace if no planner was asked, and the critic if no critic was asked."""

TOLD = 40
"""Candidates with the best scores that a trace holds in full."""


@dataclass(frozen=True, kw_only=True)
class TraceDraft:
    """A recall's final state, from which its trace is made when it is read or written.

    It is written from plain values, because models cost ten times as much and hardly any trace is
    read.
    """

    state: RecallState
    services: Services
    ms: float
    """Wall time of the recall."""
    session_id: str = ""

    @cached_property
    def json(self) -> bytes:
        """The trace as it is written."""
        return to_json(
            trace_values(self.state, services=self.services, ms=self.ms)
            | {"session_id": self.session_id}
        )

    @cached_property
    def trace(self) -> RecallTrace:
        """The trace as it is read."""
        return RecallTrace.model_validate_json(self.json)

    @property
    def memory_ids(self) -> set[str]:
        """Ids of all memories that the trace names."""
        state = self.state
        hidden = (one["memory_id"] for one in state.get("hidden", []))
        preferences = (one["id"] for one in state.get("result", {}).get("preferences", []))
        return {*state.get("candidates", {}), *hidden, *preferences}


def trace_values(state: RecallState, *, services: Services, ms: float) -> dict[str, Any]:
    """The fields of a `RecallTrace`; fields with a default may be missing. `ms`: wall time of the
    recall, milliseconds."""
    result = state.get("result", {})
    returned = [memory["id"] for memory in result.get("memories", [])]
    candidates, rest = trace_candidates(state, returned, services=services)
    planner = services.planner if planning_steps(state, services) else None
    critic = services.critic if state.get("effort") != "none" else None
    steps = sorted(state.get("steps", {}).items(), key=lambda one: (one[1]["started_at"], one[0]))
    # what the recall decided by itself, beside the settings; `explain` needs it
    decided: dict[str, Any] = {"question.kind": state["kind"], "slots.by": slot_rule(state)}
    least, named = services.settings.ranking.min_score, bool(state.get("named"))
    admitting = admitting_min_score(state, min_score=least, named=named)
    if admitting is not None:
        decided["answer.min_score"] = admitting
    return {
        "schema_version": SCHEMA_VERSION,
        "trace_id": state["trace_id"],
        "entity": services.entity,
        "question": state["question"],
        "asked_at": datetime.fromisoformat(state["asked_at"]),
        "k": state["k"],
        "tokens": state.get("tokens"),
        "settings": services.settings.recorded | decided,
        "embedder": services.embedder.model_id,
        "planner": planner.planner_id if planner else PLAYBOOKS,
        "critic": critic.critic_id if critic else NOBODY,
        "prompts": own_prompts(planner, critic),
        "facets": [part_of(TraceFacet, facet) for facet in state["facets"].values()],
        "queries": [trace_query(query, state) for query in state["queries"].values()],
        "candidates": candidates,
        "rest": rest,
        "hidden": [part_of(TraceHidden, one) for one in state.get("hidden", [])],
        "preferences": [
            part_of(TracePreference, {**given, "memory_id": given["id"]})
            for given in result.get("preferences", [])
        ],
        "as_of": datetime.fromisoformat(as_of) if (as_of := state.get("as_of")) else None,
        "include_stale": state.get("include_stale", False),
        "where": state.get("where", {}),
        "effort": state.get("effort"),
        "steps": [part_of(TraceStep, entry) for _, entry in steps],
        "returned": returned,
        "evidence": {
            one["id"]: [passage["passage_id"] for passage in one.get("evidence", ())]
            for one in result.get("memories", [])
        },
        "near_misses": [
            {"memory_id": one["id"], "reason": one["cut_by"]} for one in result.get("maybe", [])
        ],
        "stop_reason": state["stop_reason"],
        "stop_detail": state["stop_detail"],
        "degraded": sorted(set(state.get("degraded", {}).values())),
        "spent": {**spent_fields(state, services.price), "ms": round(ms, 2)},
    }


def own_prompts(*services: object) -> dict[str, str]:
    """{label: text} of the prompts of these services that do not ship with secondhop."""
    used = [prompt for one in services if isinstance(one, Prompted) for prompt in one.prompts]
    return {one.label: one.text for one in used if not one.is_shipped}


def part_of(part: type[BaseModel], entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an entry of the state that this part of a trace has, without default values."""
    defaults = _defaults(part)
    return {
        name: entry[name]
        for name in part.model_fields
        if name in entry and (name not in defaults or entry[name] != defaults[name])
    }


@cache
def _defaults(part: type[BaseModel]) -> dict[str, Any]:
    fields = part.model_fields.items()
    return {
        name: field.get_default(call_default_factory=True, validated_data={})
        for name, field in fields
        if not field.is_required()
    }


def trace_query(query: Query, state: RecallState) -> dict[str, Any]:
    """A query with what it found; one that was never asked has round 0 and no hits."""
    entry = part_of(TraceQuery, query)
    found = state.get("rankings", {}).get(query["query_id"])
    if found is not None:
        for name, hits in (("dense", found["dense"]), ("lexical", found["lexical"])):
            best: dict[str, float] = {}  # the best passage of each memory, best first
            for memory_id, score in zip(hits["memory_ids"], hits["scores"], strict=True):
                best.setdefault(memory_id, round(score, 4))
            entry |= {name: best} if best else {}
        entry["error"] = found["error"]
    return entry


def trace_candidates(
    state: RecallState, returned: Sequence[str], *, services: Services
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """(candidates with all that happened to them, {memory id: score} of the rest), best first."""
    candidates = state.get("candidates", {})
    ordered = sorted(candidates.values(), key=lambda one: (-one["score"], one["memory_id"]))
    factors = score_factors(ordered, state, services.settings.ranking)
    votes = by_memory(state.get("votes", {}).values())
    drops = by_memory(state.get("drops", {}).values())
    slots = {memory_id: place for place, memory_id in enumerate(returned, start=1)}
    facet_of = {pick["memory_id"]: pick["facet_id"] for pick in reversed(state.get("picks", []))}
    refused = state["learned"].get("refused", {}) if "learned" in state else {}
    told_of: list[dict[str, Any]] = []
    rest: dict[str, float] = {}
    for row, candidate in enumerate(ordered):
        memory_id = candidate["memory_id"]
        named = memory_id in votes or memory_id in drops or memory_id in slots
        if row >= TOLD and not named and "outdated_by" not in candidate:
            rest[memory_id] = candidate["score"]
            continue
        weighed = {name: round(float(column[row]), 4) for name, column in factors.items()}
        newer = state.get("weakened", {}).get(memory_id, "")
        if newer:
            weighed[NEWER] = newer_factor(candidate)
        if any(vote.get("unnamed") for vote in votes.get(memory_id, ())[-1:]):
            weighed[UNNAMED] = UNNAMED_FACTOR
        scores = sorted(candidate["scores"].items(), key=lambda one: (-one[1]["relevance"], one[0]))
        entry = part_of(TraceCandidate, candidate)
        entry["facet_scores"] = [
            part_of(TraceFacetScore, {"facet_id": facet_id, **score}) for facet_id, score in scores
        ]
        happened: dict[str, Any] = {
            "refused_for": refused.get(memory_id, ""),
            "weakened_by": newer,
            "close_to": state.get("close_to", {}).get(memory_id, ""),
            "factors": {name: factor for name, factor in weighed.items() if factor != 1.0},
            "votes": [part_of(TraceVote, vote) for vote in votes.get(memory_id, ())],
            "drops": [part_of(TraceDrop, drop) for drop in drops.get(memory_id, ())],
            "slot": slots.get(memory_id),
        }
        if memory_id in slots:
            facet_id, least = facet_of.get(memory_id), services.settings.ranking.min_score
            served = served_facets(candidate, facet_id, state, min_score=least)
            happened |= {"slot_facet": facet_id, "why": why(served[0], candidate, state)}
        told_of.append(entry | {name: one for name, one in happened.items() if one})
    return told_of, rest


EntryT = TypeVar("EntryT", Vote, Drop)


def by_memory(entries: Iterable[EntryT]) -> dict[str, list[EntryT]]:
    """{memory id: its votes or drops}, in the order of their rounds."""
    grouped: defaultdict[str, list[EntryT]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry["round"]):
        grouped[entry["memory_id"]].append(entry)
    return dict(grouped)
