"""Looks up facts that a question or a plan names.

"What is my landlord's phone number?" asks for the fact (my landlord, phone number). A plan may name
a fact in the words of a query, or choose it from the list of names (`kept_names`). Each fact found
enters the recall through a query of its own, which takes that memory instead of searching.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean
from typing import Final, NamedTuple

from secondhop.nodes.state import (
    DIRECT,
    FACT_ASKED,
    FACT_NAMED,
    QUESTION_WEIGHT,
    ByName,
    Facet,
    Query,
    RecallState,
)
from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.keeping import FactName, fact_in_words

ORIGIN: Final = FACT_NAMED

OWN_FACET: Final = "k"
"""First letter of the id of a facet that the question opens for a fact."""

PLANS_FACET: Final = "p"
"""First letter of the id of a facet that a plan opens for a fact that it asks for by name."""

MOST: Final = 3
"""Most facts that one recall looks up: those that the question names first, then those that the
plan asks for by name, then those that its queries name."""

PERSON: Final = frozenset({"me", "i", "myself", "user", "the user"})
"""Subjects that mean the user."""

_OWN: Final = frozenset({"my", "our"})
STANDING: Final = frozenset({"current", "present", "new", "latest", "own", "full"})
"""Words that may stand between "my" and the name of a fact."""


class Asked(NamedTuple):
    """A fact to look up."""

    name: FactName
    facet_id: str
    """The facet that asks for it. For `DIRECT` and `PLANS_FACET`, the fact gets a facet of its own.
    """
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFacts:
    """The queries that look up facts, and the facets opened for them."""

    facets: Mapping[str, Facet] = field(default_factory=dict[str, Facet])
    queries: Mapping[str, Query] = field(default_factory=dict[str, Query])


NOTHING_ASKED = AskedFacts()


def asked_facts(
    state: RecallState, names: Sequence[FactName], planned: Iterable[Query]
) -> AskedFacts:
    """The facts that the first round looks up.

    A fact that the question names, or that the plan asks for by name, gets a facet of its own. A
    fact that a query of the plan names belongs to the facet of that query.

    Args:
        names: names of the facts that may be shown.
        planned: the queries that this round asks.
    """
    return looked_up(named_facts(state, names, planned), state)


def named_facts(
    state: RecallState, names: Sequence[FactName], planned: Iterable[Query]
) -> list[Asked]:
    """The facts that the question names, then those that the plan asks for by name, then those that
    its queries name; a fact may occur more than once."""
    question = [Asked(name, DIRECT, ORIGIN) for name in named_in(state["question"], names)]
    queries = [
        Asked(name, query["facet_id"], ORIGIN)
        for query in planned
        for name in named_in(query["text"], names)
    ]
    return [*question, *asked_by_name(state.get("by_name"), names), *queries]


def asked_by_name(asked: ByName | None, names: Sequence[FactName]) -> list[Asked]:
    """The facts that the plan asks for by name; ids that are not among `names` are ignored."""
    known = {name.memory_id: name for name in names}
    wanted = asked["facts"] if asked is not None else []
    return [Asked(known[one], PLANS_FACET, FACT_ASKED) for one in wanted if one in known]


def looked_up(asked: Iterable[Asked], state: RecallState) -> AskedFacts:
    """A query for each of the first `MOST` facts, and a facet for those that open one."""
    first: dict[str, Asked] = {}
    for one in asked:
        if len(first) < MOST:
            first.setdefault(one.name.memory_id, one)
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, one in enumerate(first.values(), start=1):
        opened = opened_facet(one, number, state)
        if opened is not None:
            facets[opened["facet_id"]] = opened
        served = opened or state["facets"][one.facet_id]
        queries[f"kq{number}"] = fact_query(f"kq{number}", served, one, state)
    return AskedFacts(facets=facets, queries=queries)


def opened_facet(asked: Asked, number: int, state: RecallState) -> Facet | None:
    """The facet of its own that a fact gets; None if it belongs to a facet of the plan."""
    if asked.origin == FACT_ASKED:
        return fact_facet(
            f"{PLANS_FACET}{number}",
            asked.name,
            why="The plan asks for this fact by name.",
            hop=2,
            weight=usual_weight(state),
        )
    if asked.facet_id == DIRECT:
        return fact_facet(
            f"{OWN_FACET}{number}",
            asked.name,
            why="The question asks for this fact by name.",
            hop=1,
            weight=QUESTION_WEIGHT,
        )
    return None


def usual_weight(state: RecallState) -> float:
    """The mean weight of the plan's implied facets; 1.0 without any.

    So a fact does not weigh more than the other facets of the plan.
    """
    weights = [one["weight"] for one in state["facets"].values() if one["hop"] > 1]
    return round(fmean(weights), 3) if weights else 1.0


def fact_facet(facet_id: str, name: FactName, *, why: str, hop: int, weight: float) -> Facet:
    """A facet for one fact."""
    named = f"{name.subject}: {name.attribute}"
    return Facet(facet_id=facet_id, name=named, why=why, hop=hop, weight=weight)


def fact_query(query_id: str, facet: Facet, asked: Asked, state: RecallState) -> Query:
    """The query that takes the fact; its text has the words in which facts are stored."""
    return Query(
        query_id=query_id,
        facet_id=facet["facet_id"],
        text=fact_in_words(asked.name.subject, asked.name.attribute),
        hop=facet["hop"],
        round=state["round"] + 1,
        origin=asked.origin,
        feedback=[],
        memory_ids=[asked.name.memory_id],
    )


def named_in(text: str, names: Sequence[FactName]) -> list[FactName]:
    """The facts that a text names: it contains every word of the subject and of the attribute.

    For a fact about the user, the attribute must come right after "my", because "the name of my
    dentist" does not ask for the user's name.
    """
    said = tuple(document_terms(text))
    words = frozenset(said)
    return [
        name
        for name in names
        if terms_of(name.attribute) <= words
        and (
            stands_after_my(name.attribute, said)
            if is_the_person(name.subject)
            else terms_of(name.subject) <= words
        )
    ]


def is_the_person(subject: str) -> bool:
    """Whether a fact is about the user.

    >>> is_the_person("Me"), is_the_person("my landlord")
    (True, False)
    """
    return " ".join(subject.casefold().split()) in PERSON


def stands_after_my(attribute: str, said: Sequence[str]) -> bool:
    """Whether the attribute comes after "my" or "our", with at most a `STANDING` word in between.

    >>> stands_after_my("phone number", ["what", "is", "my", "current", "phone", "number"])
    True
    """
    wanted = tuple(document_terms(attribute))
    for place, word in enumerate(said):
        if word in _OWN:
            start = place + 1
            if start < len(said) and said[start] in STANDING:
                start += 1
            if tuple(said[start : start + len(wanted)]) == wanted:
                return True
    return False


@lru_cache(maxsize=16_384)
def terms_of(name: str) -> frozenset[str]:
    """The search terms of a name, without stop words: {"landlord"} for "my landlord"."""
    return frozenset(query_terms(name).words)
