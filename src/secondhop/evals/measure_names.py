"""What the measures are called, which way they are better, and what they mean, for a reader."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class MeasureName:
    """One measure."""

    label: str
    meaning: str
    better: Literal["higher", "lower", "neither"] = "higher"

    @property
    def way(self) -> str:
        """Which way it is better, in words."""
        return "a description" if self.better == "neither" else f"{self.better} is better"

    @property
    def arrow(self) -> str:
        """Which way it is better, as a sign."""
        return {"higher": "↑", "lower": "↓", "neither": ""}[self.better]


MEASURE_NAMES: Mapping[str, MeasureName] = {
    "facet_recall": MeasureName(
        "facet recall", "facets with a memory of grade 2 or 3 / all facets"
    ),
    "essential_recall": MeasureName(
        "essential recall", "grade-3 memories found, one a redundancy group / as many as fit"
    ),
    "alpha_ndcg": MeasureName(
        "alpha-nDCG",
        "gain of a memory for a facet halves with each earlier memory of that facet; what "
        "repeats or is stale gains nothing; 1 is the ideal order",
    ),
    "redundancy": MeasureName("redundancy", "memories that repeat an earlier one", "lower"),
    "stale_rate": MeasureName("stale rate", "memories that another one replaced", "lower"),
    "precision": MeasureName("precision", "memories that serve any facet / memories returned"),
    "P": MeasureName("P@k", "relevant memories / k (trec_eval)"),
    "R": MeasureName("R@k", "relevant memories found / all relevant (trec_eval)"),
    "RR": MeasureName("RR@k", "1 / rank of the first relevant memory; its mean is MRR"),
    "nDCG": MeasureName("nDCG@k", "discounted grades against the best order (trec_eval)"),
    "alpha_nDCG": MeasureName("alpha-nDCG@k", "as ndeval has it: grades and repetition unseen"),
    "ERR_IA": MeasureName("ERR-IA@k", "expected reciprocal rank, over the facets (ndeval)"),
    "StRecall": MeasureName("subtopic recall@k", "facets with a memory of grade 1 or more"),
    "mrr": MeasureName("MRR", "mean of 1 / place of the one answer, among ten memories"),
    "ndcg_10": MeasureName("nDCG@10", "mean of 1 / log2(place + 1) of the one answer"),
    "recall_10": MeasureName("R@10", "questions whose one answer is among ten memories"),
    "overlap": MeasureName(
        "overlap of questions", "shared memories / shorter list, over pairs of questions", "lower"
    ),
    "jaccard": MeasureName(
        "Jaccard of questions", "shared memories / all of both, over pairs of questions", "lower"
    ),
    "distance": MeasureName(
        "distance within a list", "mean cosine distance of its pairs", "neither"
    ),
    "second_hop": MeasureName(
        "second hop", "gold beyond the question's own 50 nearest memories that came back"
    ),
    "recall": MeasureName(
        "evidence recall", "evidence found within so many tokens / all evidence of the question"
    ),
    "ms": MeasureName("milliseconds", "wall time of a recall", "lower"),
    "llm_calls": MeasureName("model calls", "a recall", "lower"),
    "tokens": MeasureName("model tokens", "prompt and completion, a recall", "lower"),
}


def name_of(measure: str) -> MeasureName:
    """Of a measure, also when "@k" stands behind it, or a number of tokens.

    >>> name_of("recall@500").label
    'evidence recall @500'
    """
    name, _, depth = measure.partition("@")
    known = MEASURE_NAMES.get(name)
    if known is None:
        return MeasureName(measure, "")
    return replace(known, label=f"{known.label} @{depth}") if depth.isdigit() else known
