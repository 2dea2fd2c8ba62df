"""One score for a question without a plan: the sum of what each retriever says of a memory.

The parts are z-scores over the candidates, so that one outstanding cosine counts as much as one
outstanding suggestion. The trace keeps them, and `explain` prints them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from secondhop.nodes.state import DIRECT, FacetScore, Suggested
from secondhop.ranking.arrays import Floats
from secondhop.ranking.playbook_affinity import z_scores

SIMILARITY, HYBRID, PLAYBOOKS = "similarity", "words and similarity", "playbooks"
"""The parts: the cosine, the fused ranks of both searches, and what `suggest` found."""

TEXT_WEIGHTS: Mapping[str, float] = {SIMILARITY: 0.75, HYBRID: 0.25}
"""Chosen on eight people and reported on three others: docs/benchmarks.md."""

PLAYBOOKS_WEIGHT = 0.8
"""Weight of the playbooks where they are sure of the question's intent; less as they are less sure,
so that a question no playbook knows keeps the order of plain search."""

SLOPE, MIDDLE = 1.0, 2.7
"""Of the logistic from added z-scores to the chance that the memory is needed. Fitted to the labels
of eleven people: 0.96 and 2.66."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blended:
    """A candidate's score with its parts."""

    score: float
    """0..1: the chance that the memory is needed."""
    parts: Mapping[str, float]
    """What each retriever adds, by its name; the score is a logistic of their sum."""


def blended(found: Mapping[str, FacetScore], suggested: Suggested) -> dict[str, Blended]:
    """{memory id: its blend}, best first, over what was found or suggested.

    Args:
        found: the question's own ranking.
    """
    suggestions = dict(zip(suggested["memory_ids"], suggested["scores"], strict=True))
    cosines = dict(zip(suggested["memory_ids"], suggested["cosines"], strict=True))
    ids = sorted({*found, *suggestions})
    columns = {
        SIMILARITY: column([found[i]["dense"] if i in found else cosines[i] for i in ids]),
        HYBRID: column([found[i]["fused"] if i in found else 0.0 for i in ids]),
        PLAYBOOKS: column([suggestions.get(i, 0.0) for i in ids]),
    }
    weights = weights_for(suggested["confidence"])
    parts = {name: weights[name] * z_scores(values) for name, values in columns.items()}
    total = np.sum([*parts.values()], axis=0)
    order: list[int] = np.argsort(-total, kind="stable").tolist()
    return {
        ids[row]: Blended(
            score=round(1 / (1 + exp(SLOPE * (MIDDLE - float(total[row])))), 4),
            parts={name: round(float(values[row]), 3) for name, values in parts.items()},
        )
        for row in order
    }


def weights_for(confidence: float) -> dict[str, float]:
    """How much each part counts: playbooks by how sure they are of the question's intent."""
    return {**TEXT_WEIGHTS, PLAYBOOKS: PLAYBOOKS_WEIGHT * confidence}


def column(values: Sequence[float]) -> Floats:
    """[n]."""
    return np.array(values, dtype=np.float64)


def own_score(
    rank: int, blend: Blended, before: FacetScore | None, *, suggestion: tuple[str, float] | None
) -> FacetScore:
    """How a memory stands for the question itself, by its blend.

    Args:
        before: as the question's own searches found it; None: playbooks alone suggest it.
        suggestion: (passage id, its cosine to the question), where it was suggested.
    """
    if before is not None:
        return {
            **before,
            "rank": rank,
            "relevance": blend.score,
            "text": before.get("text", before["relevance"]),
        }
    passage_id, cosine = suggestion or ("", 0.0)
    return {
        "rank": rank,
        "fused": 0.0,
        "relevance": blend.score,
        "dense": round(cosine, 4),
        "lexical": 0.0,
        "passage_ids": (passage_id,),
        "query_ids": ("q0",),
        "passage_scores": (0.0,),
        "text": 0.0,
    }


def suggested_score(
    rank: int, blend: Blended, facet_id: str, passage_id: str, share: float
) -> FacetScore:
    """How a memory stands in the facet that suggested it: there its passage comes first."""
    return {
        "rank": rank,
        "fused": round(share, 6),
        "relevance": blend.score,
        "dense": 0.0,
        "lexical": 0.0,
        "passage_ids": (passage_id,),
        "query_ids": (facet_id,),
        "passage_scores": (1.0,),
    }


def blended_scores(
    found: Mapping[str, Mapping[str, FacetScore]], suggested: Suggested
) -> tuple[dict[str, dict[str, FacetScore]], dict[str, Blended]]:
    """(scores of every memory by facet, its blend), best first.

    A memory that playbooks speak for most is also ranked in the facet that suggested it.

    Args:
        found: {memory id: {facet id: score}} of what searches found.
    """
    own = {i: facets[DIRECT] for i, facets in found.items() if DIRECT in facets}
    blends = blended(own, suggested)
    rows = {memory_id: row for row, memory_id in enumerate(suggested["memory_ids"])}
    ranks: dict[str, int] = {}
    scores: dict[str, dict[str, FacetScore]] = {}
    for rank, (memory_id, blend) in enumerate(blends.items(), start=1):
        row = rows.get(memory_id)
        passage = None
        if row is not None:
            passage = suggested["passage_ids"][row], suggested["cosines"][row]
        scores[memory_id] = {
            **found.get(memory_id, {}),
            DIRECT: own_score(rank, blend, own.get(memory_id), suggestion=passage),
        }
        facet_id = suggested["facet_ids"][row] if row is not None else ""
        if row is not None and facet_id and blend.parts[PLAYBOOKS] >= max(blend.parts.values()):
            ranks[facet_id] = ranks.get(facet_id, 0) + 1
            scores[memory_id][facet_id] = suggested_score(
                ranks[facet_id],
                blend,
                facet_id,
                suggested["passage_ids"][row],
                suggested["scores"][row],
            )
    return scores | {i: dict(facets) for i, facets in found.items() if i not in scores}, blends
