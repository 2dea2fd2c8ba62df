"""What a library of playbooks must keep to, so that what it says can be searched for.

The tests hold the library that ships to it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from secondhop.prompts.library import SLOT, Intent, PlaybookFacet

FEWEST_INTENTS = 300
"""Of the library that ships; below it, questions of ordinary life go without."""

ASKS = (5, 9)
FACETS = (4, 6)
QUERIES = 3
QUERY_WORDS = (4, 30)
HOPS = frozenset({1, 2})
WEIGHTS = (0.5, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is not as it must be."""

    domain: str
    intent: str
    fault: str


def faults_of(intents: Sequence[Intent], *, fewest: int = 0) -> list[Fault]:
    """Every fault, in the library's order; [] for a sound one.

    Args:
        fewest: intents that there must be.
    """
    found = [fault for intent in intents for fault in of_intent(intent)]
    found += between_intents(intents)
    if len(intents) < fewest:
        few = f"{len(intents)} intents, at least {fewest} are wanted"
        found.append(Fault(domain="", intent="", fault=few))
    return found


def of_intent(intent: Intent) -> Iterator[Fault]:
    """The faults of one intent by itself."""

    def fault(text: str) -> Fault:
        return Fault(domain=intent.domain, intent=intent.name, fault=text)

    if intent.name != intent.name.lower() or not intent.name.replace("-", "").isalnum():
        yield fault("the name is not kebab-case")
    if not ASKS[0] <= len(intent.asks) <= ASKS[1]:
        yield fault(f"{len(intent.asks)} asks, {ASKS[0]} to {ASKS[1]} are wanted")
    if not FACETS[0] <= len(intent.facets) <= FACETS[1]:
        yield fault(f"{len(intent.facets)} facets, {FACETS[0]} to {FACETS[1]} are wanted")
    for name in repeated(facet.name for facet in intent.facets):
        yield fault(f"two facets are named {name!r}")
    for facet in intent.facets:
        for text in of_facet(facet):
            yield fault(f"{facet.name}: {text}")


def of_facet(facet: PlaybookFacet) -> Iterator[str]:
    """The faults of one facet."""
    if len(set(facet.queries)) != QUERIES:
        yield f"{len(set(facet.queries))} different queries, {QUERIES} are wanted"
    if facet.hop not in HOPS:
        yield f"hop {facet.hop}, 1 or 2 is wanted"
    if not WEIGHTS[0] <= facet.weight <= WEIGHTS[1]:
        yield f"weight {facet.weight:g}, {WEIGHTS[0]} to {WEIGHTS[1]} is wanted"
    if not facet.why.strip():
        yield "it does not say why"
    for query in facet.queries:
        for wrong, text in UNLIKE_MEMORIES:
            if wrong(query):
                yield f"query {query!r} {text}"


UNLIKE_MEMORIES: Sequence[tuple[Callable[[str], bool], str]] = (
    (lambda query: query.rstrip().endswith("?"), "is a question; write what a memory would say"),
    (lambda query: query.count(SLOT) > 1, f"has {SLOT} twice"),
    (
        lambda query: "{" in query.replace(SLOT, "") or "}" in query.replace(SLOT, ""),
        f"has a slot that is not {SLOT}",
    ),
    (
        lambda query: not QUERY_WORDS[0] <= len(query.split()) <= QUERY_WORDS[1],
        f"has not {QUERY_WORDS[0]} to {QUERY_WORDS[1]} words",
    ),
)


def between_intents(intents: Sequence[Intent]) -> Iterator[Fault]:
    """What two intents may not share: a name, an ask."""
    for name in repeated(intent.name for intent in intents):
        yield Fault(domain="", intent=name, fault="the name is used twice")
    owners: dict[str, Intent] = {}
    for intent in intents:
        for ask in intent.asks:
            first = owners.setdefault(" ".join(ask.casefold().split()), intent)
            if first is not intent:
                text = f"the ask {ask!r} stands in {first.name}, too"
                yield Fault(domain=intent.domain, intent=intent.name, fault=text)
        for ask in repeated(ask.casefold() for ask in intent.asks):
            text = f"the ask {ask!r} stands there twice"
            yield Fault(domain=intent.domain, intent=intent.name, fault=text)


def repeated(names: Iterator[str]) -> list[str]:
    """What comes more than once."""
    return [name for name, count in Counter(names).items() if count > 1]
