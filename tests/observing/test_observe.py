"""A conversation becomes memories: new things are written, known ones are not, none is lost."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    HumanMessageChunk,
    SystemMessage,
)
from tests.nodes.scripted_llm import ScriptedLLM
from tests.observing.test_llm_observer import HOME, ids_in, says

from secondhop.errors import UsageError
from secondhop.graph.result import RecallResult
from secondhop.mcp.replies import ScoredMemory
from secondhop.memories.records import Fact, Preference
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder
from secondhop.models.llm import LLMError
from secondhop.nodes.config import Config, RecallLimits
from secondhop.observe.records import Observed, Said
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


def on(month: int, day: int = 1, hour: int = 9) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def user(text: str, at: datetime | None = None) -> Said:
    return Said(role="user", content=text, at=at)


@pytest.fixture
def recall(empty: Recall) -> Recall:
    return empty


async def values(recall: Recall, attribute: str = "home", **asked: Any) -> list[str]:
    return [fact.value for fact in await recall.memories.afacts("me", attribute, **asked)]


def done(told: Observed) -> dict[str, list[str]]:
    """{what was done: the values or texts it was done with}."""
    groups = {"added": told.added, "conflicts": told.conflicts, "duplicates": told.duplicates}
    return {name: [one.value or one.text for one in ones] for name, ones in groups.items() if ones}


LIFE_OF_LENA = [
    user("Hi! My name is Lena and I live in Bonn.", on(1)),
    Said(role="assistant", content="Welcome! I live in the cloud.", at=on(1)),
    user("Please always answer in German. Remember that the bins go out on Tuesday.", on(1)),
    user("We moved to Trier. From now on, answer in French.", on(3)),
]


async def test_a_conversation_becomes_facts_preferences_and_notes(recall: Recall) -> None:
    told = await recall.memories.aobserve(LIFE_OF_LENA)

    assert done(told) == {
        "added": [
            "Lena",
            "Bonn",
            "Always answer in German",
            "the bins go out on Tuesday",
            "Trier",
            "From now on, answer in French",
        ]
    }
    for one in told.added:
        content = LIFE_OF_LENA[one.source.message].content
        assert content[one.source.start : one.source.end] == one.source.text
    trier = told.added[4]
    assert [old.text for old in trier.supersedes] == ["Bonn"]
    assert "newer" in trier.why
    assert "moved" in trier.why
    assert await values(recall) == ["Trier"]
    assert await values(recall, as_of=on(2)) == ["Bonn"]
    assert (told.reader, told.degraded) == ("plain", [])


@pytest.mark.parametrize(
    "words", ["Ich wohne in Bonn und mein Hund heißt Rex, er ist drei.", "私はボンに住んでいます。"]
)
async def test_without_a_model_another_language_is_said_once(recall: Recall, words: str) -> None:
    told = await recall.memories.aobserve([user(words, on(1)), user(words, on(2))])

    assert told.written == []
    assert [line for line in told.degraded if "do not look like English" in line] == told.degraded
    assert len(told.degraded) == 1


async def test_what_was_forgotten_stays_forgotten_for_its_messages(recall: Recall) -> None:
    talk = [user("I live in Bonn. My name is Lena.", on(1))]
    home, _ = (await recall.memories.aobserve(talk)).written
    await recall.memories.aobserve([TRIER], at=on(2))
    await recall.memories.aforget(home)

    again = await recall.memories.aobserve(talk)

    assert again.written == []
    assert [one.text for one in again.dropped] == ["Bonn"]
    assert "forgotten" in again.dropped[0].why
    assert len(again.duplicates) == 1
    assert done(await recall.memories.aobserve([user("I live in Bonn.", on(9))])) == {
        "added": ["Bonn"]
    }


async def test_the_history_of_a_memory_tells_which_words_it_came_from(recall: Recall) -> None:
    told = await recall.memories.aobserve([user("I live in Bonn.", on(1))])

    story = await recall.memories.ahistory(told.added[0].memory_id)
    details = [event.detail for event in story.events if event.act == "remembered"]
    assert len(details) == 1
    assert details[0].startswith("said in message ")
    assert details[0].endswith("characters 0-14")
    assert "Bonn" not in details[0]  # a message may be forgotten


async def test_the_same_messages_again_write_nothing(recall: Recall) -> None:
    first = await recall.memories.aobserve(LIFE_OF_LENA)
    before = (await recall.memories.acounts()).memories
    again = await recall.memories.aobserve(LIFE_OF_LENA)
    parts = [await recall.memories.aobserve([one]) for one in LIFE_OF_LENA]

    assert again.written == [one for part in parts for one in part.written] == []
    assert [one.memory_id for one in again.duplicates] == first.written
    assert (await recall.memories.acounts()).memories == before
    assert await values(recall) == ["Trier"]


# --- the same words again, in messages without dates ---

BONN, TRIER = user("I live in Bonn."), user("We moved to Trier.")
GERMAN = user("Please always answer in German.")
ENGLISH = user("From now on, answer in English.")


async def wishes(recall: Recall) -> list[str]:
    return [one.text for one in (await recall.arecall("Hello there")).preferences]


async def test_who_goes_back_to_an_earlier_fact_is_believed(recall: Recall) -> None:
    for month, said in enumerate([BONN, TRIER, BONN, TRIER], start=1):
        told = await recall.memories.aobserve([said], at=on(month))
        again = await recall.memories.aobserve([said], at=on(month, 2))
        assert (len(told.added), again.written) == (1, [])

    believed = [await values(recall, as_of=on(month, 15)) for month in (1, 2, 3, 4)]
    assert believed == [["Bonn"], ["Trier"], ["Bonn"], ["Trier"]]


async def test_who_goes_back_to_an_earlier_wish_is_heard(recall: Recall) -> None:
    for said in (GERMAN, ENGLISH, GERMAN):
        await recall.memories.aobserve([said])

    assert await wishes(recall) == ["Always answer in German"]


async def test_a_conversation_that_is_passed_whole_each_time_says_nothing_twice(
    recall: Recall,
) -> None:
    talk = [BONN, TRIER, Said(role="assistant", content="Noted."), BONN, user("What a day!")]
    written: list[int] = []
    for length in (1, 2, 3, 4, 5, 5):
        told = await recall.memories.aobserve(talk[:length], at=on(length))
        written.append(len(told.written))

    assert written == [1, 1, 0, 1, 0, 0]
    assert await values(recall) == ["Bonn"]


async def test_an_open_chat_does_not_say_anew_what_was_corrected_elsewhere(recall: Recall) -> None:
    await recall.memories.aobserve([BONN], at=on(1))
    await recall.memories.aobserve([TRIER], at=on(2))

    told = await recall.memories.aobserve([BONN, user("What a day!")], at=on(3))

    assert told.written == []
    assert await values(recall) == ["Trier"]


TWO_IN_ONE = [user("I work at Siemens as a project lead.", on(1))]


class FailsOnce(HashingEmbedder):
    """An embedder that fails at its second call."""

    calls = 0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.calls == 2:
            raise OSError("the machine went down")
        return await super().embed_passages(texts)


async def test_what_a_failure_left_unwritten_is_written_the_next_time(
    tmp_path: Path,
) -> None:
    async with await Recall.aopen(tmp_path / "store", embedder=FailsOnce()) as recall:
        with pytest.raises(OSError, match="went down"):
            await recall.memories.aobserve(TWO_IN_ONE)
        again = await recall.memories.aobserve(TWO_IN_ONE)

        assert done(again) == {"added": ["project lead"], "duplicates": ["Siemens"]}


async def test_what_was_observed_at_the_same_time_by_two_is_written_once(recall: Recall) -> None:
    told = await asyncio.gather(*(recall.memories.aobserve(LIFE_OF_LENA) for _ in range(4)))

    assert len({one for each in told for one in each.written}) == 6
    assert sum(len(each.written) for each in told) == 6
    assert (await recall.memories.acounts()).memories == 6


async def test_a_dry_run_tells_the_same_and_writes_nothing(recall: Recall, tmp_path: Path) -> None:
    dry = await recall.memories.aobserve(LIFE_OF_LENA, keep_as="talk", dry_run=True)
    assert not (tmp_path / "store" / "entities").exists()
    wet = await recall.memories.aobserve(LIFE_OF_LENA, keep_as="talk")
    later = [user("My name is Lena. I live in Ulm now.", on(6)), user("I live in Bonn.", on(2))]
    catalog = next((tmp_path / "store").rglob("catalog.db"))
    files = [catalog, catalog.with_name("catalog.db-wal")]
    before = [path.read_bytes() for path in files]

    dry_later = await recall.memories.aobserve(later, dry_run=True)

    assert [path.read_bytes() for path in files] == before
    wet_later = await recall.memories.aobserve(later)
    for one, other in ((dry, wet), (dry_later, wet_later)):
        left, right = (x.model_dump(exclude={"spent", "dry_run"}) for x in (one, other))
        assert left == right


async def test_what_is_said_late_takes_its_place_in_the_past(recall: Recall) -> None:
    await recall.memories.aobserve(
        [user("I live in Bonn.", on(1)), user("We moved to Trier.", on(5))]
    )

    told = await recall.memories.aobserve([user("We moved to Ulm.", on(3))])

    assert told.added[0].superseded_by
    assert "so this one is in the past" in told.added[0].why
    believed = [await values(recall, as_of=on(month, 15)) for month in (2, 4, 6)]
    assert believed == [["Bonn"], ["Ulm"], ["Trier"]]


@pytest.mark.parametrize(
    ("first", "then", "why"),
    [
        ("My birthday is 3 May.", "My birthday is 4 May.", "does not change"),
        ("I live in Bonn.", "I think I live in Trier.", "not sure"),
    ],
)
async def test_what_cannot_be_decided_is_kept_beside_the_other(
    recall: Recall, first: str, then: str, why: str
) -> None:
    old = await recall.memories.aobserve([user(first, on(1))])
    new = await recall.memories.aobserve([user(then, on(3))])

    (conflict,) = new.conflicts
    assert why in conflict.why
    assert [one.id for one in conflict.conflicts_with] == old.written
    assert conflict.conflicts_with[0].created_at == on(1)
    facts = await recall.memories.afacts("me")
    assert {fact.memory_id for fact in facts} == {*old.written, *new.written}
    assert (await recall.memories.aobserve([user(then, on(3))])).written == []


async def test_two_values_months_apart_in_one_call_are_an_old_and_a_new_one(
    recall: Recall,
) -> None:
    talk = [user("My dentist is Dr Lund.", on(1)), user("My dentist is Dr Malhotra.", on(7))]

    assert done(await recall.memories.aobserve(talk)) == {"added": ["Dr Lund", "Dr Malhotra"]}
    assert await values(recall, "dentist") == ["Dr Malhotra"]
    assert await values(recall, "dentist", as_of=on(5)) == ["Dr Lund"]


@pytest.mark.parametrize(
    "then",
    ["Sorry, my shoe size is 45.", "My shoe size is now 45.", "Actually, my shoe size is 45."],
)
async def test_a_word_of_change_decides(recall: Recall, then: str) -> None:
    talk = [user("My shoe size is 44.", on(1)), user("My shoe size is 45.", on(1))]
    dry = await recall.memories.aobserve(talk, dry_run=True)
    assert done(dry) == {"added": ["44"], "conflicts": ["45"]}

    told = await recall.memories.aobserve([talk[0], user(then, on(1))])

    assert done(told) == {"added": ["44", "45"]}
    assert await values(recall, "shoe size") == ["45"]


@pytest.mark.parametrize(
    ("said", "at", "kept"),
    [
        ("Actually, I work at Zeta now.", None, "Zeta"),
        ("Sorry, I work at Zeta.", None, "Zeta"),
        ("I work at Zeta now, not Beta.", None, "Zeta"),
        ("Actually, I work at Acme.", None, "Acme"),
        ("I work at Zeta now.", None, "Beta"),  # it may be about the time until then
        ("Actually, I work at Zeta now.", on(2), "Beta"),
        ("Actually, I work at Beta.", None, "Beta"),
    ],
)
async def test_a_correction_said_now_holds_though_a_fact_is_dated_in_the_future(
    recall: Recall, said: str, at: datetime | None, kept: str
) -> None:
    memories, now = recall.memories, datetime.now(UTC)
    await memories.aremember(Fact(subject="me", attribute="employer", value="Acme"), at=on(1))
    future = Fact(subject="me", attribute="employer", value="Beta")
    new = await memories.aremember(future, at=now + timedelta(days=400))
    talk = [user(said, at)]
    dry = await memories.aobserve(talk, dry_run=True)

    told = await memories.aobserve(talk)

    assert done(told) == done(dry)
    assert await values(recall, "employer") == [kept]
    if kept != "Beta":
        assert new.memory_id in [one.memory_id for one in told.added[0].supersedes]
        assert "corrects" in told.added[0].why or "settles" in told.added[0].why


async def test_what_is_said_again_later_settles_a_conflict(recall: Recall) -> None:
    await recall.memories.aobserve([user("My birthday is 3 May.", on(1))])
    await recall.memories.aobserve([user("My birthday is 4 May.", on(2))])

    told = await recall.memories.aobserve([user("My birthday is 4 May.", on(3))])

    assert "settles" in told.added[0].why
    assert len(told.added[0].supersedes) == 2
    assert await values(recall, "birthday") == ["4 May"]


async def test_what_was_observed_is_known_again_after_export_and_import(
    recall: Recall, tmp_path: Path
) -> None:
    first = await recall.memories.aobserve(LIFE_OF_LENA)
    lines = [line async for line in recall.admin.aexport()]
    async with await Recall.aopen(tmp_path / "other", entity="m", embedder="hashing") as other:
        await other.admin.aimport(lines)
        again = await other.memories.aobserve(LIFE_OF_LENA)

    assert again.written == []
    assert [one.memory_id for one in again.duplicates] == first.written


# --- the conversation itself ---


# --- what is given ---


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"content": "x"}, 'message 1 has no "role"'),
        ({"role": "user"}, 'message 1 has no "content"'),
        ({"role": "user", "content": ["x"]}, 'message 1 has no "content"'),
        ({"role": "user", "content": None}, 'message 1 has no "content"'),
        (
            {"role": "user", "content": "x", "at": "soon"},
            'message 1 has an "at" that is not a date',
        ),
        ("hello", "message 1 is not an object"),
    ],
)
async def test_broken_messages_are_refused_by_number(
    recall: Recall, message: Any, fault: str
) -> None:
    with pytest.raises(UsageError, match=fault):
        await recall.memories.aobserve([message, {"role": "user", "content": "I live in Bonn."}])
    assert (await recall.memories.acounts()).memories == 0


@pytest.mark.parametrize("messages", [None, 3, "I live in Bonn.", {"role": "user"}])
async def test_what_is_no_list_of_messages_is_refused(recall: Recall, messages: Any) -> None:
    with pytest.raises(UsageError, match="takes a list of messages"):
        await recall.memories.aobserve(messages)


@pytest.mark.parametrize("role", ["USER", " user ", "Human"])
async def test_a_role_is_read_in_any_case(recall: Recall, role: str) -> None:
    told = await recall.memories.aobserve([Said(role=role, content="I live in Bonn.")])

    assert done(told) == {"added": ["Bonn"]}
    assert (await recall.memories.aobserve([user("I live in Bonn.")])).written == []


async def test_messages_in_parts_and_calls_of_tools_are_read(recall: Recall) -> None:
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "I live in Bonn."},
        {"type": "image_url"},
    ]
    talk: list[Mapping[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": [{"type": "text", "text": "I live in Rome."}]},
        {"role": "user", "content": parts},
    ]
    told = await recall.memories.aobserve(talk)

    assert done(told) == {"added": ["Bonn"]}
    assert told.added[0].source.message == 2


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage("I live in Bonn."),
        HumanMessage([{"type": "text", "text": "I live in Bonn."}, {"type": "image_url"}]),
        HumanMessage(["I live in Bonn."]),
        HumanMessageChunk(content="I live in Bonn."),
        ChatMessage(content="I live in Bonn.", role="user"),
    ],
)
async def test_messages_of_langchain_are_read(recall: Recall, message: BaseMessage) -> None:
    talk = [SystemMessage("You live in Rome."), AIMessage("I live in Rome."), message]

    told = await recall.memories.aobserve(talk, keep_as="talk")

    assert done(told) == {"added": ["Bonn"]}
    assert told.added[0].source.message == 2
    kept = await recall.admin.store.memory("talk")
    assert kept is not None
    assert [one.role for one in kept.messages] == ["assistant", "user"]
    assert (await recall.memories.aobserve([user("I live in Bonn.")])).written == []


# --- with a model ---


def ends(*rows: tuple[str, str]) -> Callable[[str], object]:
    """A reply that ends known things: (quote of the first message, words on the thing's line)."""

    def reply(prompt: str) -> object:
        lines = prompt.partition("Known (")[2].splitlines()[1:]
        ids = {line: line.partition(" | ")[0] for line in lines if " | " in line}
        ended = [
            {
                "message": ids_in(prompt)[0],
                "quote": quote,
                "known": next((ids[line] for line in ids if words in line), "k9"),
            }
            for quote, words in rows
        ]
        return {"memories": [], "ended": ended}

    return reply


async def opened_with(llm: ScriptedLLM, folder: Path, **limits: Any) -> Recall:
    settings = Config(limits=RecallLimits(**limits))
    return await Recall.aopen(folder, entity="mara", embedder="hashing", llm=llm, config=settings)


@pytest.mark.model
async def test_a_model_reads_and_what_it_made_up_is_told(tmp_path: Path) -> None:
    made_up = {**HOME, "attribute": "pet", "value": "a llama", "quote": "my llama"}
    llm = ScriptedLLM(ObserveReply=[says(HOME, made_up)])
    async with await opened_with(llm, tmp_path) as recall:
        told = await recall.memories.aobserve([user("We moved to Trier", on(1))])

    assert done(told) == {"added": ["Trier"]}
    assert [one.text for one in told.dropped] == ["a llama"]
    assert told.reader.startswith("llm:scripted:observe.v2@")
    assert (told.degraded, told.spent.llm_calls) == ([], 1)


@pytest.mark.model
async def test_beside_a_model_what_is_taken_back_ends_too(tmp_path: Path) -> None:
    llm = ScriptedLLM(ObserveReply=[says(HOME), says()])
    async with await opened_with(llm, tmp_path) as recall:
        await recall.memories.aobserve([user("We moved to Trier", on(1))])
        told = await recall.memories.aobserve([user("I no longer live in Trier.", on(2))])

    assert [one.value for one in told.ended] == ["Trier"]
    assert told.reader.startswith("llm:scripted")


@pytest.mark.model
async def test_a_model_ends_what_is_known_in_any_words_and_nothing_else(tmp_path: Path) -> None:
    over = "Bei Siemens bin ich raus, und du darfst wieder ausführlich antworten."
    llm = ScriptedLLM(
        ObserveReply=[
            ends(("Bei Siemens bin ich raus", "Siemens"), ("wieder ausführlich", "short")),
            ends(("Bei Siemens bin ich raus", "Siemens")),
            ends(("which nobody said", "Ulm"), ("Hm", "Ulm"), ("Hm, well", "Berlin")),
        ]
    )
    async with await opened_with(llm, tmp_path) as recall:
        for what in (
            Fact(subject="me", attribute="employer", value="Siemens"),
            Fact(subject="me", attribute="home", value="Ulm"),
            Preference(text="Keep answers short", scope="always", topic="length"),
        ):
            await recall.memories.aremember(what, at=on(1))
        told = await recall.memories.aobserve([user(over, on(2))])
        again = await recall.memories.aobserve([user(over, on(2))])
        wrong = await recall.memories.aobserve([user("Hm, well.", on(3))])

    assert [one.value or one.text for one in told.ended] == ["Siemens", "Keep answers short"]
    assert (again.ended, wrong.ended) == ([], [])
    assert [one.why for one in again.dropped] == ["it names nothing that is known"]


@pytest.mark.model
@pytest.mark.parametrize(
    "reply", [LLMError("the server is gone"), {"nonsense": 1}, says({**HOME, "quote": "Rome"})]
)
async def test_a_model_that_fails_is_replaced_by_plain_forms_and_named(
    tmp_path: Path, reply: object
) -> None:
    async with await opened_with(ScriptedLLM(ObserveReply=[reply]), tmp_path) as recall:
        told = await recall.memories.aobserve([user("We moved to Trier.", on(1))])

    assert done(told) == {"added": ["Trier"]}
    assert told.reader == "plain"
    (reason,) = told.degraded
    assert reason.startswith("observe: ")
    assert reason.endswith("plain forms were read instead")


@pytest.mark.model
async def test_a_call_may_name_its_own_reader(tmp_path: Path) -> None:
    llm = ScriptedLLM()  # answers nothing: it must not be asked
    async with await opened_with(llm, tmp_path) as recall:
        offline = await recall.memories.aobserve([user("We moved to Trier.", on(1))], llm="offline")
        other = ScriptedLLM(ObserveReply=[says(HOME)])
        named = await recall.memories.aobserve([user("We moved to Trier!", on(2))], llm=other)
        with pytest.raises(UsageError, match="unknown language model"):
            await recall.memories.aobserve([user("x")], llm="nonsense")

    assert (offline.reader, offline.degraded) == ("plain", [])
    assert named.reader.startswith("llm:scripted")


@pytest.mark.model
async def test_a_long_conversation_is_read_in_stretches_within_the_budget(tmp_path: Path) -> None:
    said = [
        user(f"We moved to Trier. {'And so on we go. ' * 260}", on(1, day)) for day in range(1, 9)
    ]
    llm = ScriptedLLM(ObserveReply=[says(HOME), says(HOME)])
    async with await opened_with(llm, tmp_path, llm_calls=2) as recall:
        told = await recall.memories.aobserve(said)

    assert len(llm.prompts) == 2
    assert told.spent.llm_calls == 2
    assert re.fullmatch(r"llm:scripted:observe\.v2@\w+, plain", told.reader)
    assert told.degraded == [
        "observe: no model call is left for the rest of this conversation; plain forms were read "
        "instead"
    ]
    places = [one.source.message for one in (*told.added, *told.duplicates)]
    assert places[0] == 0
    assert max(places) == 7


# --- at recall ---


async def asked(recall: Recall, **sight: Any) -> RecallResult:
    return await recall.arecall("When is my birthday?", at=on(6), **sight)


async def test_an_undecided_conflict_is_shown_at_recall_with_both_dates(recall: Recall) -> None:
    first = await recall.memories.aobserve([user("My birthday is 3 May.", on(1))])
    second = await recall.memories.aobserve([user("My birthday is 4 May.", on(3))])

    result = await asked(recall)
    found = {one.id: one for one in (*result.memories, *result.maybe) if one.kind == "factual"}

    assert set(found) == {*first.written, *second.written}
    for one in found.values():
        (other,) = one.conflicts_with
        assert {one.created_at, other.created_at} == {on(1), on(3)}
        assert {other.id, one.id} == set(found)
        (told,) = ScoredMemory.of(one).conflicts_with
        assert told == f"{other.value} ({other.created_at:%Y-%m-%d}, {other.id})"
    assert {one.conflicts_with[0].value for one in found.values()} == {"3 May", "4 May"}


@pytest.mark.parametrize("role", ["usr", "customer"])
async def test_messages_without_a_user_are_named(recall: Recall, role: str) -> None:
    told = await recall.memories.aobserve([{"role": role, "content": "I live in Bonn"}])
    assert told.degraded == [
        f"observe: only the user's statements are stored, and no message has the role 'user'; "
        f"the roles here: {role!r}"
    ]
    both = [{"role": "user", "content": "I live in Bonn"}, {"role": role, "content": "Ah"}]
    assert (await recall.memories.aobserve(both)).degraded == []
    answer = [{"role": "assistant", "content": "You live in Bonn"}]
    assert (await recall.memories.aobserve(answer)).degraded == []
