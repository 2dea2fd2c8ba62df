"""What one system returned for the questions of a scenario, and how good it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from secondhop.evals.ir_library import library_measures, missing_modules
from secondhop.evals.judgements import Rankings, judgements_of
from secondhop.evals.measures import Measures, mean_of, measure
from secondhop.evals.scenario import Question
from secondhop.evals.second_hop import SecondHop, second_hop
from secondhop.evals.variety import Overlap, cross_question_overlap, intra_list_distance
from secondhop.stores.records import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRun:
    """One system over one scenario; every mapping is by question id, in order."""

    results: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Memory ids, best first."""
    questions: dict[str, Measures] = field(default_factory=dict[str, Measures])
    """The measures of `evals.measures`."""
    library: dict[str, Measures] = field(default_factory=dict[str, Measures])
    """Those of ir-measures, at the question's k; {} where it is not installed."""
    distances: dict[str, float] = field(default_factory=dict[str, float])
    """Intra-list distance; a list of fewer than two memories has none."""
    beyond: dict[str, SecondHop] = field(default_factory=dict[str, SecondHop])

    def mean(self) -> Measures:
        """Of `evals.measures`."""
        return mean_of(self.questions.values())

    def library_mean(self) -> Measures:
        """Of ir-measures; {} where it is not installed."""
        return mean_of(self.library.values())

    def distance(self) -> float | None:
        """Mean intra-list distance; None when no list has any."""
        return sum(self.distances.values()) / len(self.distances) if self.distances else None

    def overlap(self) -> Overlap | None:
        """Of the results of different questions; None without two of them."""
        return cross_question_overlap(self.results)

    def second_hop(self) -> SecondHop:
        """Summed over the questions: most have little beyond reach."""
        return reduce(add, self.beyond.values(), SecondHop())

    def document(self) -> dict[str, Any]:
        """For `--json`: what stands beside `mean`."""
        overlap, hop = self.overlap(), self.second_hop()
        return {
            "library": {f"{name}@k": mean for name, mean in self.library_mean().items()},
            "variety": {
                "overlap": overlap.overlap if overlap else None,
                "jaccard": overlap.jaccard if overlap else None,
                "distance": self.distance(),
            },
            "second_hop": {
                "memories": hop.memories,
                "memories_found": hop.memories_found,
                "share": hop.share,
                "facets": hop.facets,
                "facets_found": hop.facets_found,
                "facet_share": hop.facet_share,
            },
        }


def judged(
    questions: Sequence[Question],
    results: Rankings,
    *,
    vectors: Mapping[str, Vector],
    reach: Rankings,
) -> SystemRun:
    """Measure what a system returned.

    Args:
        vectors: {memory id: vector of unit length}; may lack some.
        reach: {question id: what its own vector brings}; a question that is not in it has no
            second hop.
    """
    judgements = list(judgements_of(questions))
    cutoffs = {question.id: question.k for question in questions}
    top = {one.id: list(results.get(one.id, ())) for one in questions}
    distances = {one: intra_list_distance(ranking, vectors) for one, ranking in top.items()}
    return SystemRun(
        results=top,
        questions={one.id: measure(one, top[one.id]) for one in questions},
        library={} if missing_modules() else library_measures(judgements, top, cutoffs=cutoffs),
        distances={one: distance for one, distance in distances.items() if distance is not None},
        beyond={
            one.id: second_hop(one, top[one.id][: one.k], reach=reach[one.id])
            for one in questions
            if one.id in reach
        },
    )
