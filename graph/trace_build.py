"""From the final state of a recall to its trace, as plain values."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from secondhop.graph.result import Spent
from secondhop.graph.trace import SCHEMA_VERSION, RecallTrace
from secondhop.models.prices import TokenPrice
from secondhop.nodes.budget import spent_fields
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.entity_config import ranking_in
from secondhop.nodes.retrieval.hits import no_hits, rows
from secondhop.nodes.selection.factors import score_factors
from secondhop.nodes.services import Services
from secondhop.nodes.state import (
    Candidate,
    Drop,
    Facet,
    HiddenHit,
    Hits,
    Query,
    RecallState,
    Step,
    Vote,
)

PLAYBOOKS, NOBODY = "playbooks", "none"
"""Named in a trace where no planner planned, and where no critic voted."""


def build_trace(state: RecallState, *, services: Services, ms: float) -> RecallTrace:
    """The whole story of the recall whose last state this is.

    Args:
        ms: wall time of the recall, milliseconds.
    """
    return RecallTrace.model_validate(trace_values(state, services=services, ms=ms))


def trace_values(state: RecallState, *, services: Services, ms: float) -> dict[str, Any]:
    """Every field of the `RecallTrace`, those that have a default too, in the order of the model.

    Written as JSON they are what the model would write. Queries and candidates come one by one:
    all of them together would be thousands of objects.
    """
    kept = state.get("kept_settings", {})
    returned = [memory["id"] for memory in state.get("result", {}).get("memories", [])]
    return {
        "schema_version": SCHEMA_VERSION,
        "trace_id": state["trace_id"],
        "entity": services.entity,
        "question": state["question"],
        "asked_at": datetime.fromisoformat(state["asked_at"]),
        "k": state["k"],
        "tokens": state.get("tokens"),
        "settings": services.settings.recorded() | kept | {"question.kind": state["kind"]},
        "kept_settings": sorted(kept),
        "embedder": services.embedder.model_id,
        "planner": services.planner.planner_id if services.planner else PLAYBOOKS,
        "critic": services.critic.critic_id if services.critic else NOBODY,
        "facets": [trace_facet(facet) for facet in state["facets"].values()],
        "queries": (trace_query(query, state) for query in state["queries"].values()),
        "candidates": trace_candidates(state, returned, ranking_in(state, services)),
        "hidden": [trace_hidden(one) for one in state.get("hidden", [])],
        "preferences": [
            trace_preference(one) for one in state.get("result", {}).get("preferences", [])
        ],
        "as_of": datetime.fromisoformat(as_of) if (as_of := state.get("as_of")) else None,
        "include_stale": state.get("include_stale", False),
        "effort": state.get("effort"),
        "steps": trace_steps(state.get("steps", {})),
        "returned": returned,
        "stop_reason": state["stop_reason"],
        "stop_detail": state["stop_detail"],
        "degraded": sorted(set(state.get("degraded", {}).values())),
        "spent": spent_of(state, price=services.price, ms=ms).model_dump(),
    }


def spent_of(state: RecallState, *, price: TokenPrice | None, ms: float) -> Spent:
    """What the recall cost."""
    return Spent.model_validate(spent_fields(state, price) | {"ms": round(ms, 2)})


def trace_facet(facet: Facet) -> dict[str, Any]:
    """A facet as it was looked for."""
    return {
        "facet_id": facet["facet_id"],
        "name": facet["name"],
        "why": facet["why"],
        "hop": facet["hop"],
        "weight": facet["weight"],
    }


def trace_query(query: Query, state: RecallState) -> dict[str, Any]:
    """A query with what it found; one that was never asked has round 0 and no hits."""
    found = state.get("rankings", {}).get(query["query_id"])
    return {
        "query_id": query["query_id"],
        "facet_id": query["facet_id"],
        "text": query["text"],
        "hop": query["hop"],
        "round": query["round"],
        "origin": query["origin"],
        "nearness": query.get("nearness"),
        "dense": trace_hits(found["dense"] if found else no_hits()),
        "lexical": trace_hits(found["lexical"] if found else no_hits()),
        "error": found["error"] if found else "",
    }


def trace_hits(hits: Hits) -> list[dict[str, Any]]:
    """One hit a memory: its best passage, ranked among memories. A recall has thousands."""
    best: dict[str, tuple[str, float]] = {}
    for passage_id, memory_id, score in rows(hits):
        best.setdefault(memory_id, (passage_id, score))
    return [
        {"memory_id": memory_id, "passage_id": passage_id, "rank": rank, "score": score}
        for rank, (memory_id, (passage_id, score)) in enumerate(best.items(), start=1)
    ]


def trace_hidden(hidden: HiddenHit) -> dict[str, Any]:
    """What queries found and what may not be shown."""
    return {
        "memory_id": hidden["memory_id"],
        "title": hidden["title"],
        "reason": hidden["reason"],
    }


def trace_preference(given: Mapping[str, Any]) -> dict[str, Any]:
    """A preference as it was given, without its text."""
    return {
        "memory_id": given["id"],
        "scope": given["scope"],
        "score": given["score"],
        "facet": given["facet"],
        "query": given["query"],
        "by_name": given["by_name"],
        "stale": given.get("stale", ""),
    }


def trace_candidates(
    state: RecallState, returned: Sequence[str], ranking: RankingSettings
) -> Iterator[dict[str, Any]]:
    """Every candidate with all that happened to it, best score first."""
    candidates = state.get("candidates", {})
    ordered = [
        candidates[m] for m in sorted(candidates, key=lambda m: (-candidates[m]["score"], m))
    ]
    factors = score_factors(ordered, state, ranking)
    votes = by_memory(state.get("votes", {}).values())
    drops = by_memory(state.get("drops", {}).values())
    slots = {memory_id: place for place, memory_id in enumerate(returned, start=1)}
    facet_of = {pick["memory_id"]: pick["facet_id"] for pick in reversed(state.get("picks", []))}
    for row, candidate in enumerate(ordered):
        memory_id = candidate["memory_id"]
        yield {
            **candidate_fields(candidate),
            "factors": {
                name: round(float(column[row]), 4)
                for name, column in factors.items()
                if column[row] != 1.0
            },
            "votes": [trace_vote(vote) for vote in votes.get(memory_id, ())],
            "drops": [trace_drop(drop) for drop in drops.get(memory_id, ())],
            "slot": slots.get(memory_id),
            "slot_facet": facet_of.get(memory_id, "") if memory_id in slots else "",
        }


EntryT = TypeVar("EntryT", Vote, Drop)


def by_memory(entries: Iterable[EntryT]) -> dict[str, list[EntryT]]:
    """Votes or drops in the order of their rounds, by memory id."""
    grouped: defaultdict[str, list[EntryT]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry["round"]):
        grouped[entry["memory_id"]].append(entry)
    return grouped


def trace_vote(vote: Vote) -> dict[str, Any]:
    """A vote, told under its memory; which facets it named is not."""
    return {
        "vote": vote["vote"],
        "by": vote["by"],
        "round": vote["round"],
        "reason": vote["reason"],
        "repeats": vote["repeats"],
        "replaced_by": vote["replaced_by"],
        "place": vote.get("place"),
    }


def trace_drop(drop: Drop) -> dict[str, Any]:
    """A drop, told under its memory."""
    return {
        "stage": drop["stage"],
        "round": drop["round"],
        "reason": drop["reason"],
        "rank": drop["rank"],
        "score": drop["score"],
        "threshold": drop["threshold"],
        "against": drop["against"],
        "budget": drop.get("budget"),
    }


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
        "parts": candidate.get("parts", {}),
        "cue": candidate.get("cue", ""),
        "outdated_by": candidate.get("outdated_by", ""),
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


def trace_steps(steps: Mapping[str, Step]) -> list[dict[str, Any]]:
    """Node runs in the order they began."""
    ordered = sorted(steps.items(), key=lambda item: (item[1]["started_at"], item[0]))
    return [
        {
            "node": step["node"],
            "round": step["round"],
            "ms": step["ms"],
            "note": step["note"],
            "llm_calls": step["llm_calls"],
            "prompt_tokens": step["prompt_tokens"],
            "completion_tokens": step["completion_tokens"],
            "cached_tokens": step.get("cached_tokens", 0),
            "error": step["error"],
        }
        for _, step in ordered
    ]
