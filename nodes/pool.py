"""The pool as selection sees it: relevance by facet, what repeats what, and what replaces what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate
from secondhop.ranking.arrays import Floats
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.evidence_coverage import Sharpening, evidence_coverage
from secondhop.ranking.successors import successors
from secondhop.stores.records import Passage, Vector

EVIDENCE_A_CANDIDATE = 4
"""Passages that stand for a candidate when repetition is measured."""

POOL_LIMIT = 120
"""Candidates that take part in selection; five shortlists, so that no facet is cut short."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """Candidates in a fixed order with what selection needs of them."""

    ids: Sequence[str]
    facet_ids: Sequence[str]
    relevance: Floats
    """[n_candidates, n_facets], calibrated, 0..1."""
    evidence: Evidence
    titles: Sequence[str]
    replaced_by: Mapping[str, str]
    """Older memory → the newer one that seems to say the same thing afresh."""
    texts: Mapping[str, Sequence[str]]
    """Evidence texts by memory id, best first."""
    repeats: Sharpening
    """Which cosines of two passages mean that one repeats the other."""

    def coverage(self, rows: Sequence[int]) -> Coverage:
        """How much some candidates say of one another, in that order."""
        return evidence_coverage(self.part(rows), sharpening=self.repeats)

    def part(self, rows: Sequence[int]) -> Evidence:
        """The evidence of some candidates, in that order."""
        return Evidence(
            vectors=self.evidence.vectors,
            passages=[self.evidence.passages[row] for row in rows],
            texts=self.evidence.texts,
            lengths=self.evidence.lengths,
            titles=[self.titles[row] for row in rows],
            parents=[self.ids[row] for row in rows],
        )


async def load_pool(
    candidates: Mapping[str, Candidate], facet_ids: Sequence[str], *, services: Services
) -> Pool:
    """The best of every facet, at most POOL_LIMIT, with their evidence; best score first."""
    ids = drawn_ids(candidates, facet_ids)
    evidence_ids = {memory_id: evidence_of(candidates[memory_id]) for memory_id in ids}
    wanted = [passage_id for memory_id in ids for passage_id in evidence_ids[memory_id]]
    vectors = await services.search.vectors(wanted)
    passages = await services.reader.passages(wanted)
    evidence = as_evidence([evidence_ids[memory_id] for memory_id in ids], vectors, passages)
    dates = [datetime.fromisoformat(candidates[memory_id]["created_at"]) for memory_id in ids]
    written_at = [date.timestamp() for date in dates]
    newer = successors(evidence, written_at, threshold=services.scale.successor_at)
    return Pool(
        ids=ids,
        facet_ids=facet_ids,
        relevance=relevance_matrix([candidates[memory_id] for memory_id in ids], facet_ids),
        evidence=evidence,
        titles=[candidates[memory_id]["title"] for memory_id in ids],
        repeats=services.scale.repeats,
        replaced_by={ids[old]: ids[new] for old, new in newer.items()},
        texts={
            memory_id: [passages[p].text for p in evidence_ids[memory_id] if p in passages]
            for memory_id in ids
        },
    )


def drawn_ids(
    candidates: Mapping[str, Candidate], facet_ids: Sequence[str], *, limit: int = POOL_LIMIT
) -> list[str]:
    """Ids that take part: the facets take turns by their fused rankings, then sorted by score."""
    by_rank = [
        (score["rank"], memory_id)
        for memory_id, candidate in candidates.items()
        for facet_id, score in candidate["scores"].items()
        if facet_id in facet_ids
    ]
    drawn = list(dict.fromkeys(memory_id for _, memory_id in sorted(by_rank)))[:limit]
    return sorted(drawn, key=lambda memory_id: (-candidates[memory_id]["score"], memory_id))


def evidence_of(candidate: Candidate) -> list[str]:
    """Its best passages over all facets, best first."""
    best: dict[str, float] = {}
    for score in candidate["scores"].values():
        for passage_id, relevance in zip(
            score["passage_ids"], score["passage_scores"], strict=True
        ):
            best[passage_id] = max(best.get(passage_id, 0.0), relevance)
    ordered = sorted(best, key=lambda passage_id: (-best[passage_id], passage_id))
    return ordered[:EVIDENCE_A_CANDIDATE]


def as_evidence(
    evidence_ids: Sequence[Sequence[str]],
    vectors: Mapping[str, Vector],
    passages: Mapping[str, Passage],
) -> Evidence:
    """Rows for every passage that still exists; a memory deleted meanwhile has none."""
    known = [p for ids in evidence_ids for p in ids if p in vectors and p in passages]
    rows = {passage_id: row for row, passage_id in enumerate(known)}
    stacked = np.stack([vectors[p] for p in known]) if known else np.zeros((0, 1), np.float32)
    return Evidence(
        vectors=stacked,
        passages=[[rows[p] for p in ids if p in rows] for ids in evidence_ids],
        texts=[passages[p].text for p in known],
        lengths=[passages[p].tokens for p in known],
    )


def relevance_matrix(candidates: Sequence[Candidate], facet_ids: Sequence[str]) -> Floats:
    """[n_candidates, n_facets]; 0 where a facet did not find the candidate."""
    matrix = np.zeros((len(candidates), len(facet_ids)))
    for row, candidate in enumerate(candidates):
        for column, facet_id in enumerate(facet_ids):
            score = candidate["scores"].get(facet_id)
            if score is not None:
                matrix[row, column] = score["relevance"]
    return matrix
