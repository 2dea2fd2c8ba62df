"""Which facets the memory map speaks for: what lies far from it goes, what nobody asks for comes.

Off unless it is set. Measured on labelled memories it loses more than it saves (docs/ranking.md):
the labels of a cluster say too little of what single memories in it hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from secondhop.models.embedder import Vectors
from secondhop.nodes.settings import RankingSettings
from secondhop.ranking.arrays import Floats
from secondhop.stores.records import Topic

LEAST_LEFT = 3
"""Facets that stay, however far they lie from every topic."""

NEAR = 0.6
"""Cosine with the question from which on a topic is near to it."""

COVERED = 0.7
"""Cosine with a facet's query from which on that facet asks for the topic."""

TOPIC_WEIGHT = 0.5
"""Of a facet that a topic opened, against 1 for one of a playbook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapChoice:
    """How far the memory map decides about an offline plan."""

    drop: float = 0.0
    """A facet goes that lies farther from every topic than the middle facet does, by more than
    this cosine. 0: none goes."""
    topics: int = 0
    """Facets at most that are added for topics near to the question that no facet asks for."""

    @classmethod
    def of(cls, ranking: RankingSettings) -> Self:
        """As the settings say."""
        return cls(drop=ranking.map_drop, topics=ranking.map_topics)

    @property
    def is_on(self) -> bool:
        """Whether it decides anything."""
        return self.drop > 0 or self.topics > 0


def topic_text(topic: Topic) -> str:
    """What a topic is compared by.

    >>> topic_text(Topic(label="boat sail", size=3, titles=["Winter berth", "New sail"]))
    'boat sail. Winter berth; New sail'
    """
    return f"{topic.label}. {'; '.join(topic.titles)}"


def facet_nearness(queries: Sequence[Vectors], topics: Vectors) -> Floats:
    """[n_facets, n_topics]: best cosine of each facet's queries, float32 [n, dim] a facet."""
    return np.array([(own @ topics.T).max(axis=0) for own in queries], dtype=np.float64)


def kept_facets(nearness: Floats, *, drop: float) -> list[int]:
    """Rows of the facets that stay, in order; all of them for a `drop` of 0.

    Facets are compared with one another, because labels of clusters have cosines of their own.

    >>> kept_facets(np.array([[0.7], [0.6], [0.65], [0.64]]), drop=0.03)
    [0, 2, 3]
    """
    best = nearness.max(axis=1, initial=0.0)
    if drop <= 0 or len(best) <= LEAST_LEFT:
        return list(range(len(best)))
    kept = set(np.flatnonzero(best >= np.median(best) - drop).tolist())
    for row in np.argsort(-best, kind="stable")[:LEAST_LEFT].tolist():
        kept.add(row)
    return sorted(kept)


def uncovered_topics(nearness: Floats, question: Floats, *, limit: int) -> list[int]:
    """Columns of topics near to the question that no facet asks for, the nearest first.

    Args:
        question: [n_topics], cosines of the question.

    >>> uncovered_topics(np.array([[0.9, 0.5, 0.5]]), np.array([0.9, 0.5, 0.7]), limit=2)
    [2]
    """
    covered = nearness.max(axis=0, initial=0.0)
    order: list[int] = np.argsort(-question, kind="stable").tolist()
    return [one for one in order if question[one] >= NEAR and covered[one] < COVERED][:limit]


def told(dropped: Sequence[str], added: Sequence[str]) -> str:
    """For the trace; "" when the map decided nothing.

    >>> told(["travel documents"], [])
    'the memory map dropped “travel documents”'
    """
    parts = [
        f"{verb} {', '.join(f'“{name}”' for name in names)}"
        for verb, names in (("dropped", dropped), ("added", added))
        if names
    ]
    return f"the memory map {' and '.join(parts)}" if parts else ""
