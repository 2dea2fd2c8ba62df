"""Plain statements of people about themselves are read; what only looks like one is not."""

from datetime import UTC, datetime

import pytest
from tests.observing.labelled import Labelled, Score, fits, labelled

from secondhop.observe.plain import readings_of
from secondhop.observe.port import Reading, Turn

TODAY = datetime(2026, 3, 1, tzinfo=UTC)


def readings(text: str) -> list[Reading]:
    return list(readings_of(0, Turn(role="user", content=text, at=TODAY)))


def scored(rows: list[Labelled]) -> Score:
    """The score over messages of the user; nothing is read from other messages."""
    score = Score()
    for row in rows:
        left = list(row.states)
        for reading in readings(row.text) if row.role == "user" else []:
            found = next((label for label in left if fits(reading, label)), None)
            if found is None:
                score.wrong.append(row.text)
            else:
                left.remove(found)
                score.right += 1
        score.missed += [row.text for _ in left]
    return score


@pytest.mark.parametrize(
    ("name", "recall"), [("looked_at.txt", 0.80), ("held_out.txt", 0.75), ("edges.txt", 1.0)]
)
def test_what_is_read_of_labelled_sentences_is_right(name: str, recall: float) -> None:
    score = scored(labelled(name))

    assert score.precision == 1.0, score
    assert score.recall >= recall, score


@pytest.mark.parametrize(
    ("text", "scope", "topic", "kept"),
    [
        (
            "Please keep answers under 100 words.",
            "always",
            "length",
            "Keep answers under 100 words",
        ),
        (
            "Please answer in English from now on.",
            "always",
            "language",
            "Answer in English from now on",
        ),
        (
            "Always explain these abbreviations when you use them.",
            "always",
            "",
            "Always explain these abbreviations when you use them",
        ),
        ("Use metric units from now on!", "always", "units", "Use metric units from now on"),
        ("From now on, no emojis.", "always", "emoji", "From now on, no emojis"),
        ("From now on only metric units!", "always", "units", "From now on only metric units"),
        ("I don't eat gluten.", "food and drink", "gluten", "I don't eat gluten"),
        ("We never eat pork.", "food and drink", "pork", "We never eat pork"),
        ("I hate mushrooms.", "mushrooms", "mushrooms", "I hate mushrooms"),
        ("I can't stand loud music!", "loud music", "loud music", "I can't stand loud music"),
        (
            "Always answer in German, thanks.",
            "always",
            "language",
            "Always answer in German",
        ),
    ],
)
def test_tastes_and_wishes_are_preferences(text: str, scope: str, topic: str, kept: str) -> None:
    (one,) = readings(text)

    assert (one.kind, one.scope, one.topic, one.text) == ("preferential", scope, topic, kept)


@pytest.mark.parametrize(
    ("text", "topics", "values"),
    [
        ("I don't eat fish, I hate coriander.", ["fish", "coriander"], []),
        ("I don't eat fish, and I hate coriander.", ["fish", "coriander"], []),
        (
            "My rent is 900, sadly, I live in Bonn, my sister lives in Trier.",
            [],
            ["900", "Bonn", "Trier"],
        ),
        ("My favourite song is I Am, I Sang.", [], ["I Am, I Sang"]),
        ("Hi, my name's Lena, I live in Bonn, I can't stand noise.", ["noise"], ["Lena", "Bonn"]),
    ],
)
def test_statements_with_commas_between_them_are_all_read(
    text: str, topics: list[str], values: list[str]
) -> None:
    found = readings(text)

    assert [one.topic for one in found if one.kind == "preferential"] == topics
    assert [one.value for one in found if one.kind == "factual"] == values


@pytest.mark.parametrize(
    "secret",
    [
        "password is hunter2",
        "wifi password is larch-and-moss",
        "passcode is 4711",
        "PIN is 4711",
        "PIN number is 4711",
        "number for the card is 4711",
        "card number is 4111 1111 1111 1111",
        "credit card is 4111 1111 1111 1111",
        "CVV is 123",
        "door code is 4711",
        "security number is 123-45",
        "API key is sk-4711",
        "seed phrase is apple pear plum",
    ],
)
def test_a_secret_is_no_fact_unless_one_asks_to_have_it_remembered(secret: str) -> None:
    assert readings(f"My {secret}") == []
    assert [one.kind for one in readings(f"Remember that my {secret}")] == ["continuity"]


def traps() -> list[str]:
    rows = labelled("looked_at.txt")
    return [row.text for row in rows if row.role == "user" and not row.states]


@pytest.mark.parametrize("text", traps())
def test_a_trap_states_nothing_beside_a_fact_either(text: str) -> None:
    """A trap in its own sentence neither hides the fact beside it nor becomes one."""
    found = readings(f"My name is Lena. {text}")

    assert [(one.attribute, one.value) for one in found] == [("name", "Lena")]


@pytest.mark.parametrize(
    "text",
    [
        "> I live in Bonn",
        "```\nI live in Bonn.\n```",
        "Translate this:\nI live in Bonn.\nMy name is Max.",
        "She wrote: “I live in Bonn.”",
        'My sister said "I live in Bonn" yesterday.',
        "Proofread: My name is Max and I live in Bonn.",
    ],
)
def test_quoted_and_pasted_text_is_nobodys_word(text: str) -> None:
    assert readings(text) == []


@pytest.mark.parametrize(
    ("text", "change", "sure"),
    [
        ("My rent is now 900 euros.", "now", True),
        ("We moved to Trier.", "moved", True),
        ("Sorry, my train is at 8:12.", "Sorry", True),
        ("I live in Bonn.", "", True),
        ("I think my appointment is on 3 June.", "", False),
    ],
)
def test_words_of_change_and_of_doubt_are_heard(text: str, change: str, sure: bool) -> None:
    (one,) = readings(text)

    assert (one.change, one.sure) == (change, sure)


@pytest.mark.parametrize(
    "text",
    [
        '"' * 20_000,
        "my " * 7_000,
        "I live in " + "New York " * 2_000,
        "Mr. " * 5_000,
        "A" * 20_000,
        "my" + " " * 15_000 + "x",
        ("I live in New York, I work at " * 13 + ". ") * 50,
        ("From now on, no " + "more " * 70 + ". ") * 50,
        'They said "' + "word " * 3_000 + '", more or less',
        "Look: ```" + "x" * 15_000 + "``` there",
    ],
)
def test_hostile_lengths_cost_little_time(text: str) -> None:
    started = datetime.now(UTC)
    readings(text)
    assert (datetime.now(UTC) - started).total_seconds() < 5
