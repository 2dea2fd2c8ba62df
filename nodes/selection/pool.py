"""The pool for selection: relevance by facet, repetition, and replacement by newer memories."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np

from secondhop.nodes.effort import mostly_cued
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage, evidence_coverage
from secondhop.ranking.evidence import Evidence, successors

EVIDENCE_A_CANDIDATE = 4
"""Passages per candidate that are compared when repetition is measured."""

POOL_LIMIT = 120
"""Candidates that take part in selection: over four shortlists, so that no facet is cut short."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """Candidates in a fixed order, with all that selection needs to know about them."""

    ids: Sequence[str]
    """Memory ids, best score first."""
    candidates: Mapping[str, Candidate]
    facet_ids: Sequence[str]
    relevance: Floats
    """[n_candidates, n_facets], calibrated, 0..1."""
    evidence: Evidence
    replaced_by: Mapping[str, str]
    """{older memory id: the newer memory that seems to be its new version}; {} if annotations say
    what is replaced."""
    scale: ModelScale
    """How to read the cosines of the evidence."""

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """{memory id: its row}."""
        return {memory_id: row for row, memory_id in enumerate(self.ids)}

    @cached_property
    def _said(self) -> Coverage:
        """How much all candidates say of one another."""
        return evidence_coverage(self.evidence, sharpening=self.scale.repeats)

    def coverage(self, rows: Sequence[int]) -> Coverage:
        """How much the candidates in these rows say of one another, in the order of `rows`."""
        return self._said.part(rows)


async def load_pool(
    candidates: Mapping[str, Candidate],
    facet_ids: Sequence[str],
    state: RecallState,
    *,
    services: Services,
) -> Pool:
    """The best of every facet with their evidence, best score first; at most `POOL_LIMIT`, or k if
    that is more."""
    ids = drawn_ids(candidates, facet_ids, limit=max(POOL_LIMIT, state["k"]))
    evidence_ids = [evidence_of(candidates[memory_id]) for memory_id in ids]
    wanted = [passage_id for own in evidence_ids for passage_id in own]
    vectors, passages = await asyncio.gather(
        services.search.vectors(wanted), services.reader.passages(wanted)
    )
    # passages that were deleted meanwhile are left out
    known = [p for p in wanted if p in vectors and p in passages]
    rows = {passage_id: row for row, passage_id in enumerate(known)}
    evidence = Evidence(
        vectors=np.stack([vectors[p] for p in known]) if known else np.zeros((0, 1), np.float32),
        passages=[[rows[p] for p in own if p in rows] for own in evidence_ids],
        texts=[passages[p].text for p in known],
    )
    drawn = {memory_id: candidates[memory_id] for memory_id in ids}
    return pool_of(
        drawn,
        evidence,
        facet_ids=facet_ids,
        scale=services.scale,
        guess_newer=guesses_newer(state),
    )


def guesses_newer(state: RecallState) -> bool:
    """Whether texts alone may say that a newer memory replaces an older one.

    They may not if most memories are annotated and annotations name what is replaced. Then hardly a
    guess is right: of 718 on fourteen people, 10 hit an outdated memory, and 113 one that was
    needed.
    """
    return not (mostly_cued(state) and state.get("name_replaced", False))


def slot_facets(state: RecallState) -> list[str]:
    """Ids of the facets that share the slots, sorted.

    Playbook facets are not among them; they add a part to the score of the question itself.
    """
    return sorted(set(state["facets"]) - suggested_facets(state))


def suggested_facets(state: RecallState) -> set[str]:
    """Ids of the facets of playbooks."""
    queries = state.get("queries", {}).values()
    return {query["facet_id"] for query in queries if query["origin"] == "playbook"}


def pool_of(
    candidates: Mapping[str, Candidate],
    evidence: Evidence,
    *,
    facet_ids: Sequence[str] = (),
    scale: ModelScale,
    guess_newer: bool = True,
) -> Pool:
    """The pool of these candidates; relevance is 0 if a facet did not find a candidate."""
    ids = list(candidates)
    relevance = np.zeros((len(ids), len(facet_ids)))
    for row, candidate in enumerate(candidates.values()):
        for column, facet_id in enumerate(facet_ids):
            if facet_id in candidate["scores"]:
                relevance[row, column] = candidate["scores"][facet_id]["relevance"]
    dates = [datetime.fromisoformat(found["created_at"]) for found in candidates.values()]
    written_at = [date.timestamp() for date in dates]
    newer = successors(evidence, written_at, threshold=scale.successor_at) if guess_newer else {}
    return Pool(
        ids=ids,
        candidates=candidates,
        facet_ids=facet_ids,
        relevance=relevance,
        evidence=evidence,
        replaced_by={ids[old]: ids[new] for old, new in newer.items()},
        scale=scale,
    )


def drawn_ids(
    candidates: Mapping[str, Candidate], facet_ids: Sequence[str], *, limit: int = POOL_LIMIT
) -> list[str]:
    """Ids that take part, best score first: the `limit` with the best rank in any wanted facet."""
    wanted = set(facet_ids)
    ranked: list[tuple[int, str]] = []
    for memory_id, candidate in candidates.items():
        ranks = [score["rank"] for f, score in candidate["scores"].items() if f in wanted]
        if ranks:
            ranked.append((min(ranks), memory_id))
    ranked.sort()
    best = [(-candidates[memory_id]["score"], memory_id) for _, memory_id in ranked[:limit]]
    return [memory_id for _, memory_id in sorted(best)]


def evidence_of(candidate: Candidate, slot_facet: str | None = None) -> list[str]:
    """Ids of the candidate's best passages over all facets, best first. `slot_facet`: the facet
    whose passages come first, because it gave the memory its slot."""
    best: dict[str, float] = {}
    first = candidate["scores"].get(slot_facet or "")
    for score in candidate["scores"].values():
        for passage_id, relevance in zip(
            score["passage_ids"], score["passage_scores"], strict=True
        ):
            best[passage_id] = max(best.get(passage_id, 0.0), relevance)
    ordered = sorted(best, key=lambda passage_id: (-best[passage_id], passage_id))
    earned = () if first is None else first["passage_ids"]
    return list(dict.fromkeys([*earned, *ordered]))[:EVIDENCE_A_CANDIDATE]
