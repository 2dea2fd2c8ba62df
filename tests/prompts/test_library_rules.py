"""The rules of a library, and that what breaks one is named."""

from dataclasses import replace
from typing import Any

import pytest
from tests.prompts.library_rules import FEWEST_INTENTS, faults_of

from secondhop.prompts.library import Intent, PlaybookFacet, shipped_intents

FACET = PlaybookFacet(
    name="soil",
    why="It decides.",
    hop=2,
    weight=1.0,
    queries=("clay soil with ph six", "compost dug in last spring", "what {topic} did in our soil"),
)
SOUND = Intent(
    name="planting",
    domain="garden",
    asks=tuple(f"What grows in bed {number}?" for number in range(5)),
    facets=tuple(replace(FACET, name=name) for name in ("soil", "sun", "water", "frost")),
)


def with_query(query: str) -> Intent:
    facet = replace(FACET, queries=(*FACET.queries[:2], query))
    return replace(SOUND, facets=(facet, *SOUND.facets[1:]))


def with_facet(**parts: Any) -> Intent:
    return replace(SOUND, facets=(replace(FACET, **parts), *SOUND.facets[1:]))


def test_the_library_that_ships_keeps_the_rules() -> None:
    assert faults_of(shipped_intents(), fewest=FEWEST_INTENTS) == []


@pytest.mark.parametrize(
    ("intent", "fault"),
    [
        (replace(SOUND, name="Planting"), "the name is not kebab-case"),
        (replace(SOUND, asks=SOUND.asks[:4]), "4 asks, 5 to 9 are wanted"),
        (replace(SOUND, asks=(*SOUND.asks, SOUND.asks[0])), "stands there twice"),
        (replace(SOUND, facets=SOUND.facets[:3]), "3 facets, 4 to 6 are wanted"),
        (replace(SOUND, facets=(*SOUND.facets, SOUND.facets[0])), "two facets are named 'soil'"),
        (with_facet(hop=3), "soil: hop 3"),
        (with_facet(weight=2.0), "soil: weight 2, 0.5 to 1.5 is wanted"),
        (with_facet(why=" "), "soil: it does not say why"),
        (with_facet(queries=FACET.queries[:2]), "soil: 2 different queries"),
        (with_query("what did we plant there?"), "is a question"),
        (with_query("{topic} beside {topic} in bed two"), "has {topic} twice"),
        (with_query("the {plant} in our bed two"), "has a slot that is not {topic}"),
        (with_query("too short"), "has not 4 to 30 words"),
    ],
)
def test_what_breaks_a_rule_is_named(intent: Intent, fault: str) -> None:
    (found,) = faults_of([intent])

    assert fault in found.fault
    assert found.domain == "garden"


def test_a_sound_intent_has_no_fault() -> None:
    assert faults_of([SOUND]) == []


def test_two_intents_share_neither_name_nor_ask() -> None:
    other = replace(SOUND, asks=(SOUND.asks[0].upper(), *(f"Which tree {n}?" for n in range(4))))

    said = [fault.fault for fault in faults_of([SOUND, other])]

    assert said[0] == "the name is used twice"
    assert "stands in planting, too" in said[1]
    assert len(said) == 2


def test_a_library_that_is_too_small_is_told() -> None:
    (fault,) = faults_of([SOUND], fewest=2)

    assert fault.fault == "1 intents, at least 2 are wanted"
