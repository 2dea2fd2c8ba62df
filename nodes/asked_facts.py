"""Facts that a question, or a plan's query, asks for by name: looked up, not searched for.

"What is my landlord's phone number?" asks for the fact (my landlord, phone number). A plan asks in
the same words, so that no planner needs another way to say it. What is found enters the recall as
any candidate does: by a query of its own, which looks at that memory alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from secondhop.errors import StoreError
from secondhop.nodes.hidden import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT, Facet, Query, RecallState, RecallUpdate
from secondhop.stores.analysis import document_terms, query_terms
from secondhop.stores.keeping import FactName

ORIGIN: Final = "fact"

MOST: Final = 3
"""Facts that one recall looks up; those that the question itself asks for come first."""

PERSON: Final = frozenset({"me", "i", "myself", "user", "the user"})
"""Subjects that stand for whoever asks."""

_OWN: Final = frozenset({"my", "our"})
_STANDING: Final = frozenset({"current", "present", "new", "latest", "own", "full"})
"""What may stand between "my" and the name of a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFacts:
    """Queries that look facts up, and the facets that the question opens for them."""

    facets: Mapping[str, Facet] = field(default_factory=dict[str, Facet])
    queries: Mapping[str, Query] = field(default_factory=dict[str, Query])
    degraded: Mapping[str, str] = field(default_factory=dict[str, str])

    def joined_to(self, update: RecallUpdate) -> RecallUpdate:
        """A round's update, with what this adds."""
        if not self.queries and not self.degraded:
            return update
        return {
            **update,
            "facets": {**update.get("facets", {}), **self.facets},
            "degraded": {**update.get("degraded", {}), **self.degraded},
        }


async def asked_facts(
    state: RecallState, hidden: Hidden, planned: Iterable[Query], *, services: Services
) -> AskedFacts:
    """What the first round looks up by name; nothing in later ones.

    A fact that the question asks for opens a facet; one that only a planned query asks for serves
    the facet of that query. A store that cannot be read is named, and the recall goes on.
    """
    if state["round"] or services.keeping is None or services.settings.limits.queries < 1 + MOST:
        return AskedFacts()
    try:
        known = await services.keeping.fact_names()
    except StoreError as error:
        return AskedFacts(degraded={"facts": f"no fact was looked up: {error}"})
    names = [name for name in known if name.memory_id not in hidden.reasons]
    if not names:
        return AskedFacts()
    facets: dict[str, Facet] = {}
    queries: dict[str, Query] = {}
    taken: set[str] = set()
    asking = [(DIRECT, state["question"]), *((one["facet_id"], one["text"]) for one in planned)]
    for facet_id, text in asking:
        for name in named_in(text, names):
            if name.memory_id in taken or len(taken) >= MOST:
                continue
            taken.add(name.memory_id)
            served = facet_id
            if facet_id == DIRECT:
                facet = fact_facet(f"k{len(facets) + 1}", name, weight=direct_weight(services))
                facets[facet["facet_id"]], served = facet, facet["facet_id"]
            query = fact_query(f"kq{len(queries) + 1}", served, name, state)
            queries[query["query_id"]] = query
    return AskedFacts(facets=facets, queries=queries)


def direct_weight(services: Services) -> float:
    """What the question itself weighs: whoever asks for a fact wants that."""
    return services.settings.ranking.direct_weight


def fact_facet(facet_id: str, name: FactName, *, weight: float) -> Facet:
    """The facet of a fact that the question asks for."""
    return Facet(
        facet_id=facet_id,
        name=f"{name.subject}: {name.attribute}",
        why="The question asks for this fact by name.",
        hop=1,
        weight=weight,
    )


def fact_query(query_id: str, facet_id: str, name: FactName, state: RecallState) -> Query:
    """Looks at the fact alone; its words are those in which facts are stored."""
    return Query(
        query_id=query_id,
        facet_id=facet_id,
        text=f"The {name.attribute} of {name.subject}",
        hop=1 if facet_id.startswith("k") else state["facets"][facet_id]["hop"],
        round=state["round"] + 1,
        origin=ORIGIN,
        feedback=[],
        memory_ids=[name.memory_id],
    )


def named_in(text: str, names: Sequence[FactName]) -> list[FactName]:
    """The facts that a text names: every word of the subject and of the attribute.

    Of the person's own facts the name stands right after "my": "the name of my dentist" does not
    ask for the person's name.
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
    """Whether a fact is about whoever asks.

    >>> is_the_person("Me"), is_the_person("my landlord")
    (True, False)
    """
    return " ".join(subject.casefold().split()) in PERSON


def stands_after_my(attribute: str, said: Sequence[str]) -> bool:
    """Whether the attribute follows on "my" or "our".

    >>> stands_after_my("phone number", ["what", "is", "my", "current", "phone", "number"])
    True
    """
    wanted = tuple(document_terms(attribute))
    for place, word in enumerate(said):
        if word in _OWN:
            start = place + 1
            if start < len(said) and said[start] in _STANDING:
                start += 1
            if tuple(said[start : start + len(wanted)]) == wanted:
                return True
    return False


@lru_cache(maxsize=16_384)
def terms_of(name: str) -> frozenset[str]:
    """Search terms of a name, without the words that say nothing: "my landlord" is "landlord"."""
    return frozenset(query_terms(name).words)
