"""Last node: writes the answer, with the text of its evidence and a reason for each memory."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from secondhop.nodes.budget import spent_fields
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.evidence.fill import (
    LEAST_SHARE,
    LeftOut,
    by_memory,
    filled_evidence,
    finders,
)
from secondhop.nodes.evidence.joined import Entries, joined, neighbours
from secondhop.nodes.evidence.near_cues import NearCues, first_near_cues, near_cues
from secondhop.nodes.evidence.turns import whole_id
from secondhop.nodes.reasons import WEAK, cues_decide, cut_by, why
from secondhop.nodes.selection.contested import contested
from secondhop.nodes.selection.near_misses import near_misses
from secondhop.nodes.selection.pool import evidence_of
from secondhop.nodes.selection.preferences import given
from secondhop.nodes.selection.relevance import last_votes
from secondhop.nodes.selection.staleness import hidden_hits, marked
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, Candidate, Drop, RecallState, RecallUpdate
from secondhop.stores.records import Passage
from secondhop.wording import counted

FORGOTTEN = "its text was forgotten while the recall ran"
"""Why a memory with a slot is not in the answer."""

NO_PICKS: Mapping[str, str] = MappingProxyType({})

IMPLIED = 2
"""The hop of a memory that the question's intent implies but the question does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The memories of the answer and its near misses, with the evidence of each."""

    evidence: Mapping[str, list[str]]
    """{memory id: passage ids}, best memory first."""
    misses: Mapping[str, Drop]
    """{memory id: why it is a near miss}."""
    missed: Mapping[str, Sequence[str]]
    """{memory id: passage ids}, for the near misses."""
    entries: Entries
    no_room: dict[str, Drop]
    """Memories that belong to the answer but have no evidence in it."""
    left_out: Mapping[str, LeftOut]
    """{memory id: why}, for memories that a budget of tokens leaves out."""


async def resolve(state: RecallState, *, services: Services) -> RecallUpdate:
    """Look up the evidence of the picks and of the near misses, and write the result."""
    limits, min_score = services.settings.limits, services.settings.ranking.min_score
    hidden = await services.hidden.of(state, services)
    picks = {pick["memory_id"]: pick["facet_id"] for pick in state.get("picks", [])}
    answering = picked_answer if state["tokens"] is None else filled_answer
    answer = await answering(state, picks, services=services)
    evidence, entries = answer.evidence, answer.entries
    memories = [
        recalled(memory_id, picks.get(memory_id), ids, entries, state, min_score=min_score)
        for memory_id, ids in evidence.items()
    ]
    maybe = [
        recalled(memory_id, None, answer.missed[memory_id], entries, state, min_score=min_score)
        | {"cut_by": cut_by(drop, state["kind"])}
        | {"tokens": shortest(memory_id, answer.left_out) if drop["stage"] == "tokens" else None}
        for memory_id, drop in answer.misses.items()
        if any(one in entries for one in answer.missed[memory_id])  # else it was forgotten
    ]
    shown = [*memories, *maybe]
    if hidden.ended:
        shown = marked(shown, hidden)
    if any(memory["kind"] == "factual" for memory in shown):
        shown = await contested(shown, hidden, state["as_of"], services=services)
    unseen = any(ranking.get("hidden") for ranking in state.get("rankings", {}).values())
    if services.settings.ranking.freshness > 0:
        services.exposure.show(state, evidence)
    update: RecallUpdate = {
        "result": {
            "question": state["question"],
            "entity": services.entity,
            "asked_at": state["asked_at"],
            "memories": shown[: len(memories)],
            "maybe": shown[len(memories) :],
            "preferences": given(state, hidden) if state.get("preferences") else [],
            "facets": facet_outcomes(state, memories, min_score=min_score),
            "degraded": sorted(set(state.get("degraded", {}).values())),
            "effort": state.get("effort", "none"),
            "stop_reason": state["stop_reason"],
            "rounds": state["round"],
            "spent": spent_fields(state, services.price) | {"ms": ms_so_far(state, limits)},
            "trace_id": state["trace_id"],
        },
        "drops": answer.no_room,
        "hidden": await hidden_hits(state, services=services) if unseen else [],
        "note": f"{counted(len(memories), 'memory')}, {counted(len(maybe), 'near miss')}",
    }
    services.hidden.forget(state["trace_id"])
    return update


async def picked_answer(
    state: RecallState, picks: Mapping[str, str], *, services: Services
) -> Answer:
    """The answer of a recall for k memories: each brings its best passages and their neighbours."""
    limits, candidates = services.settings.limits, state.get("candidates", {})
    misses = near_misses(state, picks, over_budget=(), settings=services.settings)
    owned = await services.reader.passage_ids(list(picks)) if picks else {}
    near = await near_cues([candidates[one] for one in picks], state, owned, services=services)
    best = {
        one: first_near_cues(evidence_of(candidates[one], facet_id), near.get(one))
        for one, facet_id in picks.items()
    }
    missed = {memory_id: evidence_of(candidates[memory_id])[:1] for memory_id in misses}
    hit_ids = [one for ids in best.values() for one in ids]
    beside_ids = {
        beside
        for one, ids in best.items()
        for hit in ids
        for beside in neighbours(hit, owned.get(one, []))
        if beside
    }
    wanted = [*hit_ids, *beside_ids, *(one for ids in missed.values() for one in ids)]
    passages = await services.reader.passages(wanted) if wanted else {}
    entries = as_entries({**best, **missed}, passages, state, near, picks)
    known = {one: [own for own in ids if own in entries] for one, ids in best.items()}
    hits = {memory_id: ids for memory_id, ids in known.items() if ids and memory_id in owned}
    evidence, beside = joined(
        hits, entries, passages, owned=owned, max_tokens=limits.max_evidence_tokens
    )
    return Answer(
        evidence=evidence,
        misses=misses,
        missed=missed,
        entries=entries | beside,
        no_room=over_budget(state, picks, evidence, {}),
        left_out={},
    )


async def filled_answer(
    state: RecallState, picks: Mapping[str, str], *, services: Services
) -> Answer:
    """The answer of a recall for a budget of tokens: the best passages of the picks or of other
    candidates."""
    filled = await filled_evidence(state, tokens=state["tokens"] or 0, services=services)
    found = finders(filled.passages, state, services=services)
    placed = {
        passage.passage_id: as_entry(passage, relevance, *asked_by(query_id, state))
        | {"passage_id": whole_id(passage.passage_id), "place": place}
        for place, passage in enumerate(filled.passages, start=1)
        for relevance, query_id in [found[passage.passage_id]]
    }
    evidence = by_memory(filled.passages)
    no_room = over_budget(state, picks, evidence, filled.left_out)
    misses = near_misses(
        state,
        {*picks, *evidence},
        over_budget=no_room.values(),
        settings=services.settings,
    )
    missed = {memory_id: evidence_of(state["candidates"][memory_id])[:1] for memory_id in misses}
    return Answer(
        evidence=evidence,
        misses=misses,
        missed=missed,
        entries=placed | await evidence_entries(missed, state, {}, services=services),
        no_room=no_room,
        left_out=filled.left_out,
    )


async def evidence_entries(
    evidence: Mapping[str, Sequence[str]],
    state: RecallState,
    near: NearCues,
    *,
    services: Services,
    picks: Mapping[str, str] = NO_PICKS,
) -> Entries:
    """The evidence of candidates, in the form of `Evidence`, without deleted passages."""
    wanted = [passage_id for ids in evidence.values() for passage_id in ids]
    passages = await services.reader.passages(wanted) if wanted else {}
    return as_entries(evidence, passages, state, near, picks)


def as_entries(
    evidence: Mapping[str, Sequence[str]],
    passages: Mapping[str, Passage],
    state: RecallState,
    near: NearCues,
    picks: Mapping[str, str],
) -> Entries:
    """The evidence of candidates, in the form of `Evidence`, without deleted passages.

    Each passage has its relevance to the facet that gave the memory its slot (`picks`), and the
    query that found it there; a passage that this facet did not find has its highest relevance to
    any other. One that is near the memory's cue has the cue instead, and its relevance to it.
    """
    entries: Entries = {}
    for memory_id, ids in evidence.items():
        candidate = state["candidates"][memory_id]
        by_cue = near.get(memory_id, {})
        for passage_id in ids:
            if (passage := passages.get(passage_id)) is None:
                continue
            if passage_id in by_cue:
                own = state["facets"][DIRECT]["name"], candidate.get("cue", "")
                entries[passage_id] = as_entry(passage, by_cue[passage_id], *own)
                continue
            _, relevance, _, query_id = max(
                (
                    facet_id == picks.get(memory_id),
                    score["passage_scores"][place],
                    facet_id,
                    score["query_ids"][place],
                )
                for facet_id, score in candidate["scores"].items()
                for place, one in enumerate(score["passage_ids"])
                if one == passage_id
            )
            entries[passage_id] = as_entry(passage, relevance, *asked_by(query_id, state))
    return entries


def ms_so_far(state: RecallState, limits: RecallLimits) -> float:
    """Wall time since `begin`, in milliseconds."""
    return round((time.time() - state["deadline_at"] + limits.deadline_s) * 1000, 2)


def recalled(
    memory_id: str,
    facet_id: str | None,
    passage_ids: Sequence[str],
    entries: Entries,
    state: RecallState,
    *,
    min_score: float,
) -> dict[str, Any]:
    """One memory as `RecalledMemory`; `facet_id` gave it its slot, None for a near miss."""
    candidate = state["candidates"][memory_id]
    served = served_facets(candidate, facet_id, state, min_score=min_score)
    reason = why(served[0], candidate, state)
    vote = last_votes(state).get(memory_id)
    return {
        "id": memory_id,
        "title": candidate["title"],
        "source": candidate["source"],
        "kind": candidate.get("kind", "continuity"),
        "created_at": candidate["created_at"],
        "score": candidate["score"],
        "facets": [state["facets"][served_id]["name"] for served_id in served],
        "hop": IMPLIED if cues_decide(candidate) else state["facets"][served[0]]["hop"],
        "round": candidate["first_round"],
        "why": reason,
        "weak": reason == WEAK,
        "role": candidate.get("role", ""),
        "cue": candidate.get("cue", ""),
        "evidence": [entries[passage_id] for passage_id in passage_ids if passage_id in entries],
        "vote": vote["vote"] if vote and not vote.get("unnamed") else "",
    }


def served_facets(
    candidate: Candidate, facet_id: str | None, state: RecallState, *, min_score: float
) -> list[str]:
    """Ids of the facets that a memory serves, the one that gave it its slot first.

    The others are those that its vote names, else those with `min_score`, else the best one.
    """
    scores = candidate["scores"]
    ranked = sorted(scores, key=lambda f: (-scores[f]["relevance"], f))
    vote = last_votes(state).get(candidate["memory_id"])
    named = vote["facet_ids"] if vote else []
    served = named or [f for f in ranked if scores[f]["relevance"] >= min_score] or ranked[:1]
    first = facet_id if facet_id is not None else served[0]
    return [first, *(f for f in served if f != first)]


def asked_by(query_id: str, state: RecallState) -> tuple[str, str]:
    """(name of the facet that a query serves, its text)."""
    query = state["queries"][query_id]
    return state["facets"][query["facet_id"]]["name"], query["text"]


def as_entry(passage: Passage, relevance: float, facet: str, query: str) -> dict[str, Any]:
    """One passage in the form of `Evidence`."""
    return {
        "passage_id": passage.passage_id,
        "text": passage.text,
        "heading": passage.heading,
        "score": relevance,
        "facet": facet,
        "query": query,
    }


def facet_outcomes(
    state: RecallState, memories: Sequence[Mapping[str, Any]], *, min_score: float
) -> list[dict[str, Any]]:
    """The facets in the form of `FacetOutcome`, heaviest first."""
    best = {facet_id: 0.0 for facet_id in state["facets"]}
    for candidate in state.get("candidates", {}).values():
        for facet_id, score in candidate["scores"].items():
            best[facet_id] = max(best[facet_id], score["relevance"])
    facets = sorted(state["facets"].values(), key=lambda f: (-f["weight"], f["facet_id"]))
    serving = {f["name"]: [m["id"] for m in memories if f["name"] in m["facets"]] for f in facets}
    return [
        {
            "name": facet["name"],
            "why": facet["why"],
            "hop": facet["hop"],
            "weight": facet["weight"],
            "covered_by": serving[facet["name"]],
            "empty": not serving[facet["name"]] and best[facet["facet_id"]] < min_score,
        }
        for facet in facets
    ]


def shortest(memory_id: str, left_out: Mapping[str, LeftOut]) -> int | None:
    """Tokens of the memory's shortest passage; None unless a bigger budget would hold it."""
    left = left_out.get(memory_id)
    return left.tokens if left is not None and left.budget is not None else None


def over_budget(
    state: RecallState,
    picks: Iterable[str],
    kept: Collection[str],
    left_out: Mapping[str, LeftOut],
) -> dict[str, Drop]:
    """Drops for the memories that belong to the answer but are not among those with evidence in
    it (`kept`), best first."""
    number = state["round"]
    stage = "tokens" if state["tokens"] is not None else "pick"
    answering = [one for one in dict.fromkeys((*left_out, *picks)) if one not in kept]
    return {
        f"{memory_id}|{number}|{stage}": Drop(
            memory_id=memory_id,
            stage=stage,
            round=number,
            reason=why_left_out(left_out.get(memory_id), state),
            rank=place,
            score=state["candidates"][memory_id]["score"],
            threshold=None,
            against=None,
            budget=left_out[memory_id].budget if memory_id in left_out else None,
        )
        for place, memory_id in enumerate(answering, start=1)
    }


def why_left_out(left: LeftOut | None, state: RecallState) -> str:
    """Why no passage of a memory is in the answer."""
    if left is None:
        return FORGOTTEN
    if left.budget is None:
        return (
            f"its best passage scores {left.share:.0%} of what the best passage of all does; "
            f"below {LEAST_SHARE:.0%}, it counts as off topic"
        )
    tokens = state["tokens"] or 0
    budget = counted(tokens, "token")
    takes = f"its shortest passage takes {left.tokens}"
    if left.tokens > tokens:
        return f"its evidence does not fit into {budget}; {takes}"
    return f"more relevant passages leave it no room in {budget}; {takes}"
