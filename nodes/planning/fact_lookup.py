"""Looks up facts that a question or a plan names.

"What is my landlord's phone number?" asks for the fact (my landlord, phone number). A plan may name
a fact in the words of a query, or choose it from the list of names (`kept_names`). Each fact found
enters the recall through a query of its own, which takes that memory instead of searching.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Final, NamedTuple

from secondhop.nodes.state import (
    DIRECT,
    FACT_ASKED,
    FACT_NAMED,
    QUESTION_WEIGHT,
    Facet,
    Query,
    RecallState,
)
from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import FactName, fact_in_words

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
    """The facet that asks for it; `DIRECT`: the fact gets a facet of its own."""
    origin: str = FACT_NAMED


def asked_facts(
    state: RecallState, names: Sequence[FactName], planned: Iterable[Query]
) -> tuple[dict[str, Facet], dict[str, Query]]:
    """The queries that look up facts in the first round, and the facets opened for them.

    A fact that the question names, or that the plan asks for by name, gets a facet of its own. A
    fact that a query of the plan names belongs to the facet of that query.
    """
    first: dict[str, Asked] = {}
    for one in asked_for(state, names, planned):
        if len(first) < MOST:
            first.setdefault(one.name.memory_id, one)
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    for number, one in enumerate(first.values(), start=1):
        if one.facet_id == DIRECT:
            served = own_facet(one, number, state)
            facets[served["facet_id"]] = served
        else:
            served = state["facets"][one.facet_id]
        queries[f"kq{number}"] = Query(
            query_id=f"kq{number}",
            facet_id=served["facet_id"],
            text=fact_in_words(one.name.subject, one.name.attribute),
            hop=served["hop"],
            round=state["round"] + 1,
            origin=one.origin,
            feedback=[],
            memory_ids=[one.name.memory_id],
        )
    return facets, queries


def asked_for(
    state: RecallState, names: Sequence[FactName], planned: Iterable[Query]
) -> list[Asked]:
    """The facts that the question names, then those that the plan asks for by name, then those that
    its queries name; a fact may occur more than once."""
    by_id = {name.memory_id: name for name in names}
    wanted = state["by_name"]["facts"] if "by_name" in state else []
    question = [Asked(name, DIRECT) for name in named_in(state["question"], names)]
    plan = [Asked(by_id[one], DIRECT, FACT_ASKED) for one in wanted if one in by_id]
    queries = [
        Asked(name, query["facet_id"])
        for query in planned
        for name in named_in(query["text"], names)
    ]
    return [*question, *plan, *queries]


def own_facet(asked: Asked, number: int, state: RecallState) -> Facet:
    """The facet of a fact that the question or the plan asks for by name.

    For the plan, it weighs as much as the plan's implied facets do on average.
    """
    by_plan = asked.origin == FACT_ASKED
    implied = [one["weight"] for one in state["facets"].values() if one["hop"] > 1]
    return Facet(
        facet_id=f"{PLANS_FACET if by_plan else OWN_FACET}{number}",
        name=f"{asked.name.subject}: {asked.name.attribute}",
        why=f"The {'plan' if by_plan else 'question'} asks for this fact by name.",
        hop=2 if by_plan else 1,
        weight=round(fmean(implied or [1.0]), 3) if by_plan else QUESTION_WEIGHT,
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
    return folded(subject) in PERSON


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
