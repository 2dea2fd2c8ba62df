"""Measures of a ranking for a labelled question: facets found, repetitions, stale memories.

alpha-nDCG: Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from typing import TypeAlias

from secondhop.evals.scenario import Question

Measures: TypeAlias = dict[str, float]
"""{measure: 0..1}."""

Rankings: TypeAlias = Mapping[str, Sequence[str]]
"""{question id: memory ids, best first}."""

ALPHA = 0.5
"""How much of a facet's gain each further memory of that facet loses."""

MEASURES = (
    "facet_recall",
    "essential_recall",
    "alpha_ndcg",
    "redundancy",
    "stale_rate",
    "precision",
)
"""In the order of a report. For redundancy and stale_rate, lower is better."""


def measure(question: Question, ranked: Sequence[str]) -> Measures:
    """Every measure over the first k of `ranked` (memory ids, best first)."""
    top = ranked[: question.k]
    returned = max(len(top), 1)
    relevant = {memory_id for facet in question.facets for memory_id in facet.relevant}
    return {
        "facet_recall": facet_recall(question, top),
        "essential_recall": essential_recall(question, top),
        "alpha_ndcg": alpha_ndcg(question, top),
        "redundancy": repeats(question, top) / returned,
        "stale_rate": sum(memory_id in question.stale for memory_id in top) / returned,
        "precision": sum(memory_id in relevant for memory_id in top) / returned,
    }


def mean_of(rows: Iterable[Mapping[str, float]]) -> Measures:
    """The mean of every measure; {} without rows."""
    kept = list(rows)
    return {name: sum(row[name] for row in kept) / len(kept) for name in kept[0]} if kept else {}


def facet_recall(question: Question, top: Sequence[str]) -> float:
    """Facets with a memory of grade 2 or 3 in `top` / all facets."""
    served = (any(facet.served_by(memory_id) for memory_id in top) for facet in question.facets)
    return sum(served) / len(question.facets)


def essential_recall(question: Question, top: Sequence[str]) -> float:
    """Essential (grade 3) memories found / essential memories that exist, at most k.

    A redundancy group counts as one memory. Stale memories are not counted.
    """
    groups = group_of(question)
    essential = {
        groups.get(memory_id, memory_id)
        for facet in question.facets
        for memory_id, grade in facet.relevant.items()
        if grade == 3 and memory_id not in question.stale
    }
    found = {groups.get(memory_id, memory_id) for memory_id in top} & essential
    return len(found) / max(1, min(question.k, len(essential)))


def repeats(question: Question, top: Sequence[str]) -> int:
    """How many of `top` belong to the redundancy group of an earlier one."""
    groups = group_of(question)
    grouped = [groups[memory_id] for memory_id in top if memory_id in groups]
    return len(grouped) - len(set(grouped))


def alpha_ndcg(question: Question, top: Sequence[str]) -> float:
    """Discounted gain of `top` / that of the greedy ideal ranking, with alpha 0.5."""
    best = discounted(gains(question, ideal_ranking(question)))
    return discounted(gains(question, top)) / best if best else 0.0


def gains(question: Question, ranked: Sequence[str]) -> list[float]:
    """The gain of each ranked memory.

    The gain for a facet is multiplied by 1 - ALPHA for each earlier memory of that facet. A second
    member of a redundancy group and a stale memory have no gain.
    """
    groups = group_of(question)
    seen_groups: set[int] = set()
    seen_facets = [0] * len(question.facets)
    gained: list[float] = []
    for memory_id in ranked:
        group = groups.get(memory_id)
        gain = 0.0
        if group not in seen_groups and memory_id not in question.stale:
            for n, facet in enumerate(question.facets):
                grade = facet.relevant.get(memory_id, 0)
                gain += grade / 3 * (1 - ALPHA) ** seen_facets[n]
                seen_facets[n] += grade > 0
        if group is not None:
            seen_groups.add(group)
        gained.append(gain)
    return gained


def discounted(values: Sequence[float]) -> float:
    """Sum of value / log2(rank + 1), with ranks from 1."""
    return sum(value / log2(rank + 1) for rank, value in enumerate(values, start=1))


def ideal_ranking(question: Question) -> list[str]:
    """The greedy best k memories, the usual approximation; ties go to the smaller id."""
    pool = {memory_id for facet in question.facets for memory_id in facet.relevant}
    ranked: list[str] = []
    while pool and len(ranked) < question.k:
        best = max(sorted(pool), key=lambda one: gains(question, [*ranked, one])[-1])
        ranked.append(best)
        pool.discard(best)
    return ranked


def group_of(question: Question) -> dict[str, int]:
    """{memory id: number of its redundancy group}."""
    return {memory_id: n for n, group in enumerate(question.redundant) for memory_id in group}
