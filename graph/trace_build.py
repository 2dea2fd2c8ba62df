"""From the final state of a recall to its trace."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from secondhop.graph.result import Spent
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceFacet,
    TraceHit,
    TraceQuery,
    TraceStep,
)
from secondhop.models.prices import TokenPrice
from secondhop.nodes.budget import spent_fields
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, Drop, Hit, Query, RecallState, Step, Vote

_HITS = TypeAdapter(list[TraceHit])
_CANDIDATES = TypeAdapter(list[TraceCandidate])
"""Build thousands of entries in one call, which is several times as fast as one call an entry."""

_UNTOLD = {"memory_id", "facet_ids"}
"""Parts of votes and drops that the trace leaves out: they stand under their memory."""


def build_trace(state: RecallState, *, services: Services, ms: float) -> RecallTrace:
    """The whole story of the recall whose last state this is.

    Args:
        ms: wall time of the recall, milliseconds.
    """
    returned = [memory["id"] for memory in state.get("result", {}).get("memories", [])]
    return RecallTrace(
        trace_id=state["trace_id"],
        entity=services.entity,
        question=state["question"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        k=state["k"],
        tokens=state.get("tokens"),
        settings=services.settings.flat() | {"question.kind": state["kind"]},
        embedder=services.embedder.model_id,
        planner=services.planner.planner_id,
        critic=services.critic.critic_id,
        facets=[trace_facet(state, facet_id) for facet_id in state["facets"]],
        queries=[trace_query(query, state) for query in state["queries"].values()],
        candidates=trace_candidates(state, returned),
        steps=trace_steps(state.get("steps", {})),
        returned=returned,
        stop_reason=state["stop_reason"],
        stop_detail=state["stop_detail"],
        degraded=sorted(set(state.get("degraded", {}).values())),
        spent=spent_of(state, price=services.price, ms=ms),
    )


def spent_of(state: RecallState, *, price: TokenPrice | None, ms: float) -> Spent:
    """What the recall cost."""
    return Spent.model_validate(spent_fields(state, price) | {"ms": round(ms, 2)})


def trace_facet(state: RecallState, facet_id: str) -> TraceFacet:
    """A facet as it was looked for."""
    facet = state["facets"][facet_id]
    return TraceFacet(**facet)


def trace_query(query: Query, state: RecallState) -> TraceQuery:
    """A query with what it found; one that was never asked has round 0 and no hits."""
    found = state.get("rankings", {}).get(query["query_id"])
    return TraceQuery(
        query_id=query["query_id"],
        facet_id=query["facet_id"],
        text=query["text"],
        hop=query["hop"],
        round=query["round"],
        origin=query["origin"],
        ms=found["ms"] if found else 0.0,
        dense=trace_hits(found["dense"] if found else []),
        lexical=trace_hits(found["lexical"] if found else []),
        error=found["error"] if found else "",
    )


def trace_hits(hits: Sequence[Hit]) -> list[TraceHit]:
    """One hit a memory: its best passage, ranked among memories. A recall has thousands."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit["memory_id"], hit)
    return _HITS.validate_python(
        [{**hit, "rank": rank} for rank, hit in enumerate(best.values(), start=1)]
    )


def trace_candidates(state: RecallState, returned: Sequence[str]) -> list[TraceCandidate]:
    """Every candidate with all that happened to it, best score first."""
    candidates = state.get("candidates", {})
    votes = by_memory(state.get("votes", {}).values())
    drops = by_memory(state.get("drops", {}).values())
    slots = {memory_id: place for place, memory_id in enumerate(returned, start=1)}
    facet_of = {pick["memory_id"]: pick["facet_id"] for pick in reversed(state.get("picks", []))}
    return _CANDIDATES.validate_python(
        [
            {
                **candidate_fields(candidates[memory_id]),
                "votes": votes.get(memory_id, []),
                "drops": drops.get(memory_id, []),
                "slot": slots.get(memory_id),
                "slot_facet": facet_of.get(memory_id, "") if memory_id in slots else "",
            }
            for memory_id in sorted(candidates, key=lambda m: (-candidates[m]["score"], m))
        ]
    )


def by_memory(entries: Iterable[Vote] | Iterable[Drop]) -> dict[str, list[dict[str, Any]]]:
    """Votes or drops in the order of their rounds, as the trace has them, by memory id."""
    grouped: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry["round"]):
        told = {name: value for name, value in entry.items() if name not in _UNTOLD}
        grouped[entry["memory_id"]].append(told)
    return grouped


def candidate_fields(candidate: Candidate) -> dict[str, Any]:
    """What a candidate is by itself, its facets by relevance."""
    ranked = sorted(
        candidate["scores"].items(), key=lambda found: (-found[1]["relevance"], found[0])
    )
    return {
        "memory_id": candidate["memory_id"],
        "title": candidate["title"],
        "created_at": datetime.fromisoformat(candidate["created_at"]),
        "first_round": candidate["first_round"],
        "score": candidate["score"],
        "facet_scores": [
            {
                "facet_id": facet_id,
                "rank": score["rank"],
                "fused": score["fused"],
                "relevance": score["relevance"],
                "dense": score["dense"],
                "lexical": score["lexical"],
            }
            for facet_id, score in ranked
        ],
    }


def trace_steps(steps: Mapping[str, Step]) -> list[TraceStep]:
    """Node runs in the order they began."""
    ordered = sorted(steps.items(), key=lambda item: (item[1]["started_at"], item[0]))
    return [
        TraceStep(
            node=step["node"],
            round=step["round"],
            ms=step["ms"],
            note=step["note"],
            llm_calls=step["llm_calls"],
            prompt_tokens=step["prompt_tokens"],
            completion_tokens=step["completion_tokens"],
            cached_tokens=step.get("cached_tokens", 0),
            error=step["error"],
        )
        for _, step in ordered
    ]
