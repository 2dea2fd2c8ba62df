"""A fact that the user takes back ends: it stays in the history, and may hold again later."""

from datetime import UTC, datetime

import pytest
from tests.observing.test_observe import done, on, user, values

from secondhop.observe.plain import endings_of
from secondhop.observe.port import Turn
from secondhop.observe.rules import TAKEN_BACK
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
def recall(empty: Recall) -> Recall:
    return empty


def ended(text: str) -> list[tuple[str, str]]:
    turn = Turn(role="user", content=text, at=datetime(2026, 3, 1, tzinfo=UTC))
    return [(one.attribute, one.value) for one in endings_of(0, turn)]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I don't work at Andritz any more, I quit.", "employer", "Andritz"),
        ("I no longer live in Linz.", "home", "Linz"),
        ("I don’t live in Linz anymore", "home", "Linz"),
        ("Actually, we do not live in Linz any longer, by the way.", "home", "Linz"),
        ("I no longer live in Linz, but in Graz.", "home", "Linz"),
        ("I used to work at Andritz, but I quit.", "employer", "Andritz"),
        ("I used to live in Linz.", "home", "Linz"),
        ("I'm no longer vegan.", "diet", "vegan"),
        ("I am not vegan any more.", "diet", "vegan"),
        ("My rent is no longer 900.", "rent", "900"),
    ],
)
def test_an_explicit_negation_names_one_fact(text: str, attribute: str, value: str) -> None:
    assert ended(text) == [(attribute, value)]


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Linz.",
        "I no longer live in Linz alone.",
        "I no longer live in Linz with my parents.",
        "I no longer work at Andritz as a welder.",
        "I no longer work at Andritz from May on.",
        "I no longer work at Andritz so much.",
        "I no longer work at Andritz because of the money.",
        "I don't work at Andritz full-time any more.",
        "I don't live in Linz any more than you do.",
        "I used to live in Linz, and I still do.",
        "I used to live in Linz and moved back.",
        "I think I no longer live in Linz.",
        "If I no longer live in Linz, do I pay tax?",
        "Do you know why I no longer live in Linz?",
        "My sister says I no longer live in Linz.",
        "My sister no longer lives in Linz.",
        "I will no longer live in Linz.",
        "I no longer lived in Linz.",
        "I might no longer live in Linz.",
        "I no longer hate mushrooms.",
        'He wrote: "I no longer live in Linz."',
        "> I no longer live in Linz",
        "Translate: I no longer live in Linz.",
    ],
)
def test_other_negations_end_nothing(text: str) -> None:
    assert ended(text) == []


LINZ, NO_LONGER = user("I live in Linz."), user("I no longer live in Linz.")


async def test_what_is_taken_back_ends_and_the_history_says_why(recall: Recall) -> None:
    (home,) = (await recall.memories.aobserve([user("I live in LINZ.", on(1))])).written

    told = await recall.memories.aobserve([user("I no longer live in Linz!", on(3))])

    (gone,) = told.ended
    assert (gone.memory_id, gone.value, gone.source.text) == (
        home,
        "LINZ",
        "I no longer live in Linz",
    )
    assert TAKEN_BACK in gone.why
    assert told.written == []
    assert (await values(recall), await values(recall, as_of=on(2))) == ([], ["LINZ"])
    story = await recall.memories.ahistory(home)
    assert story.versions[-1].end == f"deprecated on 2026-03-01: {TAKEN_BACK}"
    assert [event.act for event in story.events] == ["written", "remembered", "deprecated"]
    assert (await recall.memories.acounts()).memories == 1


async def test_a_negation_that_matches_no_current_fact_changes_nothing(recall: Recall) -> None:
    await recall.memories.aobserve([user("I live in Linz.", on(1)), user("I'm vegan.", on(1))])
    await recall.memories.aobserve([user("We moved to Graz.", on(2))])
    talk = [user("I no longer live in Linz. I don't work at Graz any more.", on(3))]

    told = await recall.memories.aobserve([*talk, user("I used to live in Graz.", on(1))])

    assert done(told) == {}
    assert told.ended == []
    assert await values(recall) == ["Graz"]


@pytest.mark.parametrize("again", ["I live in Linz.", "I live in Linz again."])
async def test_what_was_taken_back_holds_again_when_it_is_said_again(
    recall: Recall, again: str
) -> None:
    talk = [LINZ, NO_LONGER, user(again)]
    for month, message in enumerate(talk, start=1):
        await recall.memories.aobserve([message], at=on(month))
    believed = [await values(recall, as_of=on(month, 15)) for month in (1, 2, 3)]
    assert believed == [["Linz"], [], ["Linz"]]

    for seen in (talk, [*talk, user("What a day!")], [LINZ, NO_LONGER, user("What a day!")]):
        told = await recall.memories.aobserve(seen, at=on(5))
        assert (told.written, told.ended) == ([], [])
    assert await values(recall) == ["Linz"]

    await recall.memories.aobserve([NO_LONGER], at=on(6))
    assert await values(recall) == []


async def test_a_conversation_that_was_read_before_ends_nothing_that_it_states_later(
    recall: Recall,
) -> None:
    talk = [NO_LONGER, LINZ, user("What a day!")]
    for month in (1, 2, 3):
        told = await recall.memories.aobserve(talk, at=on(month))
        assert told.ended == []

    assert await values(recall) == ["Linz"]


async def test_one_message_may_state_and_take_back(recall: Recall) -> None:
    talk = [user("I live in Linz. I no longer live in Linz, I moved.")]
    first = await recall.memories.aobserve(talk)
    again = await recall.memories.aobserve(talk)

    assert ([one.value for one in first.ended], again.written, again.ended) == (["Linz"], [], [])
    assert await values(recall) == []


@pytest.mark.parametrize(
    "said",
    [
        "I no longer live in Linz, I moved to Graz.",
        "I don't live in Linz any more, we live in Graz now.",
        "I used to live in Linz, now I live in Graz!",
    ],
)
async def test_one_sentence_may_end_a_fact_and_state_the_next(recall: Recall, said: str) -> None:
    await recall.memories.aobserve([user("I live in Linz.", on(1))])

    await recall.memories.aobserve([user(said, on(3))])

    assert (await values(recall), await values(recall, as_of=on(2))) == (["Graz"], ["Linz"])
