"""Questions that one memory answers: how far up it stands."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from typing import TypeAlias

from secondhop.evals.measures import group_of
from secondhop.evals.scenario import Question

DEPTH = 10
"""Memories that are looked at."""

ONE_ANSWER = ("mrr", "ndcg_10", "recall_10")
"""In the order of a report."""

Place: TypeAlias = int | None
"""From 1; None: not among the first ten."""


def answers(question: Question) -> frozenset[str]:
    """The memories that say the one essential thing; none when it takes more than one.

    Essential is grade 3; the members of a redundancy group are one thing.
    """
    essential = {
        memory_id
        for facet in question.facets
        for memory_id, grade in facet.relevant.items()
        if grade == 3 and memory_id not in question.stale
    }
    groups = group_of(question)
    things = {groups.get(memory_id, memory_id) for memory_id in essential}
    return frozenset(essential) if len(things) == 1 else frozenset()


def place_of(right: frozenset[str], ranked: Sequence[str]) -> Place:
    """Where the first right one stands."""
    places = (place for place, one in enumerate(ranked[:DEPTH], start=1) if one in right)
    return next(places, None)


Places: TypeAlias = Mapping[str, Mapping[str, Place]]
"""{system: {question id: where its one answer stands}}."""


def places_in(answered: Mapping[str, Mapping[str, Place]]) -> Places:
    """By system, of {question id: {system: place}}."""
    systems = dict.fromkeys(system for places in answered.values() for system in places)
    return {
        system: {one: places[system] for one, places in answered.items() if system in places}
        for system in systems
    }


def over_all(found: Iterable[Places]) -> dict[str, dict[str, float]]:
    """{system: its measures} over all questions of several scenarios, each counting the same."""
    places: dict[str, list[Place]] = {}
    for one in found:
        for system, own in one.items():
            places.setdefault(system, []).extend(own.values())
    return {system: one_answer_measures(own) for system, own in places.items()}


def one_answer_measures(places: Sequence[Place]) -> dict[str, float]:
    """Mean reciprocal rank, nDCG@10 (one right answer: 1 / log2(place + 1)) and recall@10.

    {} for no question.

    >>> one_answer_measures([1, None])
    {'mrr': 0.5, 'ndcg_10': 0.5, 'recall_10': 0.5}
    """
    if not places:
        return {}
    found = [place for place in places if place is not None]
    totals = (
        sum(1 / place for place in found),
        sum(1 / log2(place + 1) for place in found),
        float(len(found)),
    )
    return {name: total / len(places) for name, total in zip(ONE_ANSWER, totals, strict=True)}
