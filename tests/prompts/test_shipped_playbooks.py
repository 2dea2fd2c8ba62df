"""The playbooks that ship follow the rules they were written by."""

from collections import Counter

import pytest

from secondhop.prompts.library import SLOT, Intent, shipped_intents

INTENTS = shipped_intents()


@pytest.fixture(params=sorted({intent.domain for intent in INTENTS}))
def domain(request: pytest.FixtureRequest) -> list[Intent]:
    """The intents of one file."""
    return [intent for intent in INTENTS if intent.domain == request.param]


def test_there_are_intents_of_many_domains() -> None:
    assert len(INTENTS) >= 300
    assert len({intent.domain for intent in INTENTS}) >= 10


def test_names_are_unique_and_kebab_case() -> None:
    names = [intent.name for intent in INTENTS]

    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert [name for name in names if not name.replace("-", "").isalnum()] == []
    assert [name for name in names if name != name.lower()] == []


def test_every_intent_has_five_to_nine_asks_of_its_own(domain: list[Intent]) -> None:
    assert [i.name for i in domain if not 5 <= len(i.asks) <= 9] == []
    assert [i.name for i in domain if len(set(i.asks)) != len(i.asks)] == []


def test_no_ask_belongs_to_two_intents() -> None:
    asks = Counter(ask.casefold() for intent in INTENTS for ask in intent.asks)

    assert [ask for ask, count in asks.items() if count > 1] == []


def test_every_intent_has_four_to_six_different_facets(domain: list[Intent]) -> None:
    assert [i.name for i in domain if not 4 <= len(i.facets) <= 6] == []
    assert [i.name for i in domain if len({f.name for f in i.facets}) != len(i.facets)] == []


def test_every_facet_has_three_queries_a_hop_a_weight_and_a_reason(domain: list[Intent]) -> None:
    facets = [(intent.name, facet) for intent in domain for facet in intent.facets]

    assert [(name, f.name) for name, f in facets if len(set(f.queries)) != 3] == []
    assert [(name, f.name) for name, f in facets if f.hop not in {1, 2}] == []
    assert [(name, f.name) for name, f in facets if not 0.5 <= f.weight <= 1.5] == []
    assert [(name, f.name) for name, f in facets if not f.why.strip()] == []


def test_queries_are_phrased_like_memories(domain: list[Intent]) -> None:
    queries = [query for intent in domain for facet in intent.facets for query in facet.queries]

    assert [query for query in queries if query.rstrip().endswith("?")] == []
    assert [query for query in queries if query.count(SLOT) > 1] == []
    assert [query for query in queries if "{" in query.replace(SLOT, "")] == []
    assert [query for query in queries if not 4 <= len(query.split()) <= 30] == []
