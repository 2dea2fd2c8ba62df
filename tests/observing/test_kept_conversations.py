"""A conversation kept under an id loses no message, no matter how it is given."""

import asyncio

import pytest

from secondhop.observe.conversation import continued
from secondhop.observe.records import Said
from secondhop.recall import Recall
from secondhop.stores.records import Memory, Message

pytestmark = pytest.mark.usefixtures("library_of_tests")

TALK = [
    Said(role="user", content="I am writing a novel about lighthouses."),
    Said(role="assistant", content="How does it begin?"),
    Said(role="user", content="With a storm."),
    Said(role="user", content="ok"),
]


async def kept(recall: Recall) -> Memory:
    memory = await recall.admin.store.memory("talk")
    assert memory is not None
    return memory


async def words(recall: Recall) -> list[str]:
    return [message.content for message in (await kept(recall)).messages]


@pytest.mark.parametrize(
    "calls",
    [
        [TALK[:1], TALK[1:2], TALK[2:3], TALK[3:]],
        [TALK[:2], TALK],
        [TALK, TALK],
        [TALK, TALK[:2]],
        [TALK[:1], TALK[1:2], TALK[1:2], TALK[2:], TALK[3:]],
        [TALK[:3], TALK[1:]],
        [TALK[:2], TALK[2:]],
    ],
    ids=["newest alone", "longer", "same", "shorter", "twice", "last ones", "parts"],
)
async def test_a_kept_conversation_has_every_message_once(
    empty: Recall, calls: list[list[Said]]
) -> None:
    for call in calls:
        await empty.memories.aobserve(call, keep_as="talk")

    assert await words(empty) == [one.content for one in TALK]
    assert (await kept(empty)).title == "I am writing a novel about lighthouses."


async def test_the_same_words_later_in_a_conversation_are_kept_again(empty: Recall) -> None:
    for said in ("ok", "Tell me more.", "ok"):
        told = await empty.memories.aobserve([Said(role="user", content=said)], keep_as="talk")

    assert told.conversation_done == "remembered"
    assert await words(empty) == ["ok", "Tell me more.", "ok"]


async def test_the_title_that_was_given_once_stays(empty: Recall) -> None:
    await empty.memories.aobserve(TALK[:1], keep_as="talk", title="My novel")
    await empty.memories.aobserve(TALK[1:2], keep_as="talk")
    first = (await kept(empty)).title
    await empty.memories.aobserve(TALK[2:3], keep_as="talk", title="The novel")

    assert (first, (await kept(empty)).title) == ("My novel", "The novel")


async def test_instructions_to_the_model_are_no_part_of_a_conversation(empty: Recall) -> None:
    for length in (1, 3, 4):
        rules = Said(role="System", content=f"Be kind. Known memories: {length}")
        await empty.memories.aobserve([rules, *TALK[:length]], keep_as="talk")

    assert await words(empty) == [one.content for one in TALK]


async def test_of_messages_that_come_at_the_same_time_none_is_lost(empty: Recall) -> None:
    said = [Said(role="user", content=f"Thought number {n}") for n in range(5)]

    await asyncio.gather(*(empty.memories.aobserve([one], keep_as="talk") for one in said))

    assert sorted(await words(empty)) == [one.content for one in said]


async def test_a_dry_run_tells_whether_a_kept_conversation_would_grow(empty: Recall) -> None:
    await empty.memories.aobserve(TALK[:2], keep_as="talk")

    told = [
        await empty.memories.aobserve(given, keep_as="talk", dry_run=True)
        for given in (TALK[2:], TALK[:2])
    ]

    assert [one.conversation_done for one in told] == ["remembered", "unchanged"]
    assert len(await words(empty)) == 2


def test_a_message_said_again_at_once_is_kept_where_the_whole_conversation_is_given() -> None:
    hi = Message("user", "Hi")

    assert continued((hi, hi), (hi, hi, hi)) == (hi, hi, hi)
