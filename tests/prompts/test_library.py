"""Reading playbook files: what they say is what is planned with, and faults are named."""

import pytest

from secondhop.prompts.library import PlaybookError, distinct, parse_playbook

INTENT = """
domain: garden
intents:
  - name: {name}
    asks: ["What grows here?", 7]
    facets:
      - name: soil
        why: It decides.
        hop: 2
        queries: ["clay soil, ph 6", "{{topic}} in our soil", "compost in spring"]
"""


def test_an_intent_is_read_as_it_was_written() -> None:
    (intent,) = parse_playbook(INTENT.format(name="planting"), name="garden.yaml")

    assert (intent.name, intent.domain, intent.asks) == (
        "planting",
        "garden",
        ("What grows here?", "7"),
    )
    (soil,) = intent.facets
    assert (soil.name, soil.why, soil.hop, soil.weight) == ("soil", "It decides.", 2, 1.0)
    assert soil.queries[1] == "{topic} in our soil"


def test_a_name_used_twice_is_refused() -> None:
    intents = parse_playbook(INTENT.format(name="planting"), name="garden.yaml")

    with pytest.raises(PlaybookError, match="twice: planting"):
        distinct([*intents, *intents])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("domain: [", "garden.yaml: "),
        ("", "file: a mapping with the keys domain, intents should stand here, not None"),
        ("just a sentence", "not 'just a sentence'"),
        ("intents: []", "domain"),
        ("domain: garden", "intents"),
        ("domain: garden\nintents: 7", "intents must be a list, not 7"),
        ("domain: garden\nintents: [{name: planting}]", "asks"),
        (INTENT.format(name="planting").replace("asks:", "ask:"), "planting: unknown keys ask"),
        (INTENT.format(name="planting").replace("hop: 2", "hop: 2\n        wieght: 1"), "wieght"),
        (
            INTENT.format(name="planting").replace("hop: 2", "hop: two"),
            "hop must be a whole number",
        ),
        (
            INTENT.format(name="planting").replace("hop: 2", "hop: '2'"),
            "planting: hop must be a whole number, not '2'; write it without quotes, hop: 2",
        ),
        (
            INTENT.format(name="planting").replace("hop: 2", 'hop: 2\n        weight: "1.5"'),
            "planting: weight must be a number, not '1.5'; write it without quotes, weight: 1.5",
        ),
        (
            INTENT.format(name="planting").replace("hop: 2", "hop: yes"),
            "hop must be a whole number, not True",
        ),
        (INTENT.format(name="planting").replace("hop: 2", "hop:"), "not None"),
        (
            INTENT.format(name="planting").replace("hop: 2", "hop: 2\n        weight: [1]"),
            "weight must be a number",
        ),
        ("domain: garden\nintents: []", "no intent"),
        ("domain: garden\nintents: [planting]", "intent: a mapping"),
        (INTENT.format(name="planting").replace("why: It decides.", ""), "why"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(text: str, said: str) -> None:
    with pytest.raises(PlaybookError, match=r"^garden\.yaml: ") as refused:
        parse_playbook(text, name="garden.yaml")

    assert said in str(refused.value)


def test_a_misspelt_key_names_the_intent_too() -> None:
    text = INTENT.format(name="planting").replace("queries:", "querys:")

    with pytest.raises(PlaybookError, match=r"garden\.yaml.*planting.*querys"):
        parse_playbook(text, name="garden.yaml")
