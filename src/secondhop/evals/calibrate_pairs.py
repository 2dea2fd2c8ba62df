"""Labelled pairs of a query and a memory it brought, with their cosine: what a scale is fitted on.

A pair is taken where a recall meets it: among the memories that the query's vector finds as deep as
a recall looks. A memory stands where its best passage stands. What the labels call replaced is left
out: whether a memory still holds is no matter of its cosine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from secondhop.evals.measures import group_of
from secondhop.evals.scenario import Question, Scenario
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import RankingSettings
from secondhop.nodes.retrieve import PASSAGES_A_MEMORY
from secondhop.stores.protocols import MemorySearch

DEPTH_FACTOR = RankingSettings().depth_factor
"""Memories that a query brings, as a multiple of k."""

RELEVANT_FROM = 1
"""The grade from which on a memory counts as relevant, as in the measures of `docs/evaluate.md`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """A text that is searched for, and how good each memory is for it."""

    group: str
    """The scenario; a group is left out as a whole."""
    question_id: str
    text: str
    grades: Mapping[str, int]
    """{memory id: grade}; what is missing is not relevant."""
    k: int
    passed_over: frozenset[str] = field(default_factory=frozenset[str])
    """Memories that make no pair."""


class Pair(NamedTuple):
    """One query and one memory that it brought."""

    group: str
    question_id: str
    cosine: float
    relevant: bool


def scenario_queries(scenario: Scenario) -> Iterator[LabelledQuery]:
    """Every question with the labels of all its facets, and every facet's name with its own."""
    for question in scenario.questions:
        best: dict[str, int] = {}
        labelled: list[tuple[str, Mapping[str, int]]] = [(question.query, best)]
        for facet in question.facets:
            relevant: Mapping[str, int] = facet.relevant
            best |= {one: max(grade, best.get(one, 0)) for one, grade in relevant.items()}
            labelled.append((facet.name, relevant))
        for text, grades in labelled:
            yield LabelledQuery(
                group=scenario.name,
                question_id=question.id,
                text=text,
                grades=with_repetitions(grades, question),
                k=question.k,
                passed_over=frozenset(question.stale),
            )


def with_repetitions(grades: Mapping[str, int], question: Question) -> dict[str, int]:
    """A memory that repeats a relevant one is as relevant, labelled or not."""
    groups = group_of(question)
    best: dict[int, int] = {}
    for memory_id, grade in grades.items():
        if memory_id in groups:
            best[groups[memory_id]] = max(grade, best.get(groups[memory_id], 0))
    repeated = {one: best[group] for one, group in groups.items() if group in best}
    return {**grades, **repeated}


async def pairs_of(
    queries: Sequence[LabelledQuery],
    *,
    search: MemorySearch,
    embedder: Embedder,
    relevant_from: int = RELEVANT_FROM,
) -> list[Pair]:
    """What the queries bring, in order."""
    vectors = await embedder.embed_queries([query.text for query in queries])
    pairs: list[Pair] = []
    for query, vector in zip(queries, vectors, strict=True):
        depth = query.k * DEPTH_FACTOR
        (hits,) = await search.dense(vector[None, :], k=depth * PASSAGES_A_MEMORY)
        best: dict[str, float] = {}
        for hit in hits:
            best.setdefault(hit.memory_id, hit.score)
        pairs += [
            Pair(
                query.group,
                query.question_id,
                cosine,
                query.grades.get(memory_id, 0) >= relevant_from,
            )
            for memory_id, cosine in list(best.items())[:depth]
            if memory_id not in query.passed_over
        ]
    return pairs
