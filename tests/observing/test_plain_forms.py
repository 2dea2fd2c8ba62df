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
                score.wrong += 1
            else:
                left.remove(found)
                score.right += 1
        score.missed += len(left)
    return score


@pytest.mark.parametrize(("name", "recall"), [("looked_at.txt", 0.80), ("held_out.txt", 0.75)])
def test_what_is_read_of_labelled_sentences_is_right(name: str, recall: float) -> None:
    score = scored(labelled(name))

    assert score.precision == 1.0, score
    assert score.recall >= recall, score


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("Vitamin C!! I live in Graz.", "me", "home", "Graz"),
        ("I moved to flat B... I live in Graz now.", "me", "home", "Graz"),
        ("My street is Bahnhofstr. I work at Andritz.", "me", "employer", "Andritz"),
        ("My address is Bahnhofstr. 5, Graz.", "me", "address", "Bahnhofstr. 5, Graz"),
        ("my favourite film is true grit", "me", "favourite film", "true grit"),
        ("my bank is sparkasse", "me", "bank", "sparkasse"),
        ("my favourite film is inside out", "me", "favourite film", "inside out"),
        ("My diet is low in salt.", "me", "diet", "low in salt"),
        ("My car is electric.", "me", "car", "electric"),
        ("I'm Nadia.", "me", "name", "Nadia"),
        ("Hello there, I am Nadia Osei!", "me", "name", "Nadia Osei"),
        (
            "My landlord is Mr Pritchard, his number is 0117 496 0123.",
            "me",
            "landlord",
            "Mr Pritchard",
        ),
        ("My GP is Dr. Lewis and she is kind.", "me", "gp", "Dr. Lewis"),
        ("My dentist is Dr. Maes, Mill Street, every October.", "me", "dentist", "Dr. Maes"),
        ("My rent is 900 a month, but it may rise.", "me", "rent", "900 a month"),
        ("Our cat's name is Muffin.", "my cat", "name", "Muffin"),
        ("my rent is 940 not 920", "me", "rent", "940"),
        ("That's wrong, my rent is 940.", "me", "rent", "940"),
        ("thats not right: my rent is 940", "me", "rent", "940"),
        ("Actually my rent is 900, sorry.", "me", "rent", "900"),
        ("My rent is 900, I think, sorry about that.", "me", "rent", "900"),
        ("My rent is 900, sorry, not 800.", "me", "rent", "900"),
        ("My favourite band is Calexico, by the way!", "me", "favourite band", "Calexico"),
        ("My favourite band is Sorry, Thanks.", "me", "favourite band", "Sorry, Thanks"),
        ("My address is Bonn, Germany, thanks.", "me", "address", "Bonn, Germany"),
        (
            "My favourite food is nuts, milk and eggs.",
            "me",
            "favourite food",
            "nuts, milk and eggs",
        ),
        ("I was born on 3 May 1984, as you know.", "me", "birthday", "3 May 1984"),
        ("My name is Lena, though.", "me", "name", "Lena"),
        ("I work at Andritz again.", "me", "employer", "Andritz"),
        ("Now I work at Andritz.", "me", "employer", "Andritz"),
        ("I work at Andritz now.", "me", "employer", "Andritz"),
        ("I moved back to Bonn.", "me", "home", "Bonn"),
        ("We've moved back from Trier to Bonn, too.", "me", "home", "Bonn"),
        ("Actually I work at St James's now, not LGI.", "me", "employer", "St James's"),
        ("I work at LGI, not at Siemens.", "me", "employer", "LGI"),
        ("I'm 39 now.", "me", "age", "39"),
        ("My son is 7 years old now.", "my son", "age", "7"),
        ("My name's Dorota.", "me", "name", "Dorota"),
        ("My manager's name is Sarah Wood.", "me", "manager", "Sarah Wood"),
        ("My GP is called Dr Lewis.", "me", "gp", "Dr Lewis"),
        ("My rent is 900, sadly.", "me", "rent", "900"),
        ("My car is a Fabia, thankfully!", "me", "car", "a Fabia"),
        ("My blood type is A negative, obviously.", "me", "blood type", "A negative"),
        ("My favourite food is nuts, jelly.", "me", "favourite food", "nuts, jelly"),
        ("My favourite song is Clearly, Sadly.", "me", "favourite song", "Clearly, Sadly"),
    ],
)
def test_a_value_ends_where_the_sentence_goes_on(
    text: str, subject: str, attribute: str, value: str
) -> None:
    (one,) = readings(text)

    assert (one.subject, one.attribute, one.value) == (subject, attribute, value)


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
    "text",
    [
        "In summer, I live in Trier.",
        "As a student, I work at Tesco.",
        "From now on, no excuses.",
        "From now on, no tables for two.",
        "My manager's name is on the form.",
        "My address is wrong in your list.",
        "my address is on the form",
        "My car is broken. My bank is useless.",
        "My car is filthy. Our car is full of sand. My bike is rusty, my car is stuck in the mud.",
        "My bike is stolen. My car is low on fuel. My bank is shut. My favourite film is sold out.",
        "my favourite colour is obvious",
        "I'm German.",
        "Never use it on anything people eat from.",
        "I am Catholic.",
        "I'm OK.",
        "I'm Team Lead.",
        "I don't eat much.",
        "I never eat there.",
        "I never drink and drive.",
        "I had a dream, I live in Rome.",
        "My brother goes, I live in Rome.",
        "I never eat breakfast.",
        "I hate it when it rains.",
        "I hate to say it.",
        "I can't stand the noise.",
        "My landlord is awful.",
        "My interview is on Friday.",
        "My budget is tight.",
        "My code is not working.",
        "My phone is dead.",
        "Please keep this short.",
        "Don't add tests here.",
        "Note that x = 3 in this case.",
        'Always write "approx." in full.',
        "Please answer in English.",
        "Show me the trains to Bonn from now on.",
        "Answer the mail from now on in English.",
        "Should you answer in English from now on?",
        "My sister said you answer in English from now on.",
        "I moved back.",
        "I moved back to the sofa.",
        "I moved the table back to Bonn.",
        "My favourite band is Portishead, or was.",
        "My favourite band is Portishead - or was.",
        "I live in Bonn, or did.",
        "My rent is 900, or not any more.",
        "My rent is 900, sorry, 950.",
        "I live in Bonn, I mean, Trier.",
    ],
)
def test_what_is_not_plain_is_left_alone(text: str) -> None:
    assert readings(text) == []


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
