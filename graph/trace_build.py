"""From the final state of a recall to its trace."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import TypeAdapter

from secondhop.graph.result import Spent
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceDrop,
    TraceFacet,
    TraceFacetScore,
    TraceHit,
    TraceQuery,
    TraceStep,
    TraceVote,
)
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, Hit, Query, RecallState, Step

_HITS = TypeAdapter(list[TraceHit])
"""Builds a whole ranking in one call, which is several times as fast as one call a hit."""


def build_trace(state: RecallState, *, services: Services, ms: float) -> RecallTrace:
    """The whole story of the recall whose last state this is.

    Args:
        ms: wall time of the recall, milliseconds.
    """
    returned = [memory["id"] for memory in state.get("result", {}).get("memories", [])]
    candidates = state.get("candidates", {})
    return RecallTrace(
        trace_id=state["trace_id"],
        entity=services.entity,
        question=state["question"],
        asked_at=datetime.fromisoformat(state["asked_at"]),
        k=state["k"],
        settings=services.settings.flat() | {"question.kind": state["kind"]},
        embedder=services.embedder.model_id,
        planner=services.planner.planner_id,
        critic=services.critic.critic_id,
        facets=[trace_facet(state, facet_id) for facet_id in state["facets"]],
        queries=[trace_query(query, state) for query in state["queries"].values()],
        candidates=[
            trace_candidate(candidates[memory_id], state, returned)
            for memory_id in sorted(candidates, key=lambda m: (-candidates[m]["score"], m))
        ],
        steps=trace_steps(state.get("steps", {})),
        returned=returned,
        stop_reason=state["stop_reason"],
        stop_detail=state["stop_detail"],
        degraded=sorted(set(state.get("degraded", {}).values())),
        spent=spent_of(state, ms=ms),
    )


def spent_of(state: RecallState, *, ms: float) -> Spent:
    """What the recall cost."""
    spent = state.get("spent", {})
    return Spent(
        rounds=state.get("round", 0),
        queries=int(spent.get("queries", 0)),
        llm_calls=int(spent.get("llm_calls", 0)),
        prompt_tokens=int(spent.get("prompt_tokens", 0)),
        completion_tokens=int(spent.get("completion_tokens", 0)),
        ms=round(ms, 2),
    )


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


def trace_candidate(
    candidate: Candidate, state: RecallState, returned: Sequence[str]
) -> TraceCandidate:
    """A candidate with everything that happened to it."""
    memory_id = candidate["memory_id"]
    votes = [vote for vote in state.get("votes", {}).values() if vote["memory_id"] == memory_id]
    drops = [drop for drop in state.get("drops", {}).values() if drop["memory_id"] == memory_id]
    return TraceCandidate(
        memory_id=memory_id,
        title=candidate["title"],
        created_at=datetime.fromisoformat(candidate["created_at"]),
        first_round=candidate["first_round"],
        score=candidate["score"],
        facet_scores=[
            TraceFacetScore(
                facet_id=facet_id,
                rank=score["rank"],
                fused=score["fused"],
                relevance=score["relevance"],
                dense=score["dense"],
                lexical=score["lexical"],
            )
            for facet_id, score in sorted(
                candidate["scores"].items(), key=lambda item: (-item[1]["relevance"], item[0])
            )
        ],
        votes=[
            TraceVote(
                vote=vote["vote"],
                by=vote["by"],
                round=vote["round"],
                reason=vote["reason"],
                repeats=vote["repeats"],
                replaced_by=vote["replaced_by"],
            )
            for vote in sorted(votes, key=lambda vote: vote["round"])
        ],
        drops=[
            TraceDrop.model_validate({k: v for k, v in drop.items() if k != "memory_id"})
            for drop in sorted(drops, key=lambda drop: drop["round"])
        ],
        slot=returned.index(memory_id) + 1 if memory_id in returned else None,
        slot_facet=next(
            (
                pick["facet_id"]
                for pick in state.get("picks", [])
                if pick["memory_id"] == memory_id and memory_id in returned
            ),
            "",
        ),
    )


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
            error=step["error"],
        )
        for _, step in ordered
    ]
