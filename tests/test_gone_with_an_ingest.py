"""When an ingest deletes a memory, its counters and lessons go too; doctor finds leftovers."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.small_world import LIFE, QUESTION

from secondhop.cli.memory_view import forgotten_line
from secondhop.recall import Recall
from secondhop.stores.counters import CounterStore

pytestmark = pytest.mark.usefixtures("library_of_tests")

AT = datetime(2026, 3, 1, tzinfo=UTC)


def files_of_life(folder: Path) -> None:
    """Write each memory of `LIFE` to a file, with its title as the heading."""
    folder.mkdir()
    for memory in LIFE:
        text = f"# {memory.title}\n\n{memory.messages[0].content}\n"
        (folder / f"{memory.memory_id}.md").write_text(text)


async def taught_from_files(recall: Recall, folder: Path) -> dict[str, str]:
    """Replace the stored memories by files in a new folder, and hold a session about two of them.

    Returns {file's name: memory id} of these two, `plan` and `wins`.
    """
    files_of_life(folder)
    await recall.admin.store.delete([one.memory_id for one in LIFE])
    await recall.aingest(folder)
    ids = {
        name: memory_id
        for memory_id in await recall.admin.store.content_hashes()
        for name in ("plan", "wins")
        if memory_id.removesuffix(".md").endswith(name)
    }
    async with recall.sessions.open(QUESTION, k=6, at=AT) as session:
        await session.vote({ids["plan"]: "hot", ids["wins"]: "hot"}, go_on=False)
        await session.resolve()
    return ids


def counters_below(folder: Path) -> Path:
    """The only file of counters below the folder."""
    (path,) = folder.rglob("counters.db")
    return path


async def known(recall: Recall, store: Path) -> str:
    """All that was learned and the ids of all memories with counters, as one text."""
    counted = await CounterStore(counters_below(store)).memory_ids()
    return f"{await recall.learning.areport()} {sorted(counted)}"


def doctored(told: Any) -> Sequence[Mapping[str, Any]]:
    return [one.model_dump(include={"count", "examples", "fixed"}) for one in told.findings]


async def test_what_an_ingest_deletes_leaves_nothing_counted_or_learned(
    recall: Recall, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    ids = await taught_from_files(recall, folder)
    before = await known(recall, tmp_path)

    (folder / "plan.md").unlink()
    planned = await recall.aingest(folder, dry_run=True)
    still = await known(recall, tmp_path)
    done = await recall.aingest(folder)
    after = await known(recall, tmp_path)

    assert ids["plan"] in before
    assert (planned.deleted, done.deleted) == (1, 1)
    assert still == before
    assert ids["plan"] not in after
    assert ids["wins"] in after
    assert (await recall.memories.acounters(ids["plan"]))[ids["plan"]].shown == 0
    assert (await recall.admin.adoctor()).findings == []


async def test_what_a_crash_between_the_files_leaves_is_found_and_mended(
    recall: Recall, tmp_path: Path
) -> None:
    ids = await taught_from_files(recall, tmp_path / "notes")
    await recall.admin.store.delete([ids["plan"]])  # the counters and lessons are not told

    found = await recall.admin.adoctor()
    mended = await recall.admin.adoctor(fix=True)
    after = await recall.admin.adoctor()

    assert [one.check for one in found.findings] == ["counters"]
    assert doctored(found) == [{"count": 1, "examples": [ids["plan"]], "fixed": False}]
    assert found.sound
    assert doctored(mended) == [{"count": 1, "examples": [ids["plan"]], "fixed": True}]
    assert after.findings == []
    assert ids["plan"] not in await known(recall, tmp_path)
    assert ids["wins"] in await known(recall, tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE counted",
        "UPDATE counters SET accepted_at = 'soon'",
        "UPDATE counters SET shown = 'many'",
        "INSERT INTO counters VALUES (x'00ff', 1, 1, 1, NULL)",
    ],
)
async def test_a_file_that_cannot_be_read_is_damage_and_no_empty_one(
    recall: Recall, tmp_path: Path, damage: str
) -> None:
    result = await recall.arecall(QUESTION, at=AT)
    await recall.memories.aaccept(result, result.ids()[:1])
    counters = counters_below(tmp_path)
    with closing(sqlite3.connect(counters)) as raw, raw:
        raw.execute(damage)

    told = await recall.admin.adoctor()

    assert [one.check for one in told.findings] == ["counters"]
    assert "counters.db" in told.findings[0].examples[0]
    assert not told.sound


async def test_a_forgotten_memory_says_which_file_still_holds_it(
    empty: Recall, tmp_path: Path
) -> None:
    diary = tmp_path / "diary.jsonl"
    diary.write_text('{"id": "d7", "text": "The oven runs hot"}\n{"id": "d8", "text": "Rain"}\n')
    await empty.aingest(diary)
    await empty.memories.aremember("The key is under the mat", memory_id="key")

    gone = await empty.memories.aforget("d7", "key")
    assert gone.still_in == [str(diary)]
    assert f"`ingest` of {diary} brings it back" in forgotten_line(gone)

    diary.unlink()
    assert (await empty.memories.aforget("d8")).still_in == []


async def test_a_forgotten_memory_says_which_other_memories_say_the_same(empty: Recall) -> None:
    said = [
        {"role": "user", "content": "Sorry I am late. My dentist is Dr. Peeters. Remember that!"},
        {"role": "user", "content": "My gym is in Ghent."},
    ]
    observed = await empty.memories.aobserve(said, keep_as="talk")
    fact = next(one.memory_id for one in observed.added if "Peeters" in one.text)
    await empty.memories.aremember("My dentist is Dr. Wouters", memory_id="other")
    await empty.memories.aremember("The key is under the mat", memory_id="key")
    await empty.memories.aremember("Ana: the key is under the mat, I think", memory_id="ana")

    gone = await empty.memories.aforget(fact, "key")
    assert gone.repeated_in == ["ana", "talk"]
    assert "also said, it seems, in ana, talk, not forgotten" in forgotten_line(gone)


async def test_the_conversation_that_a_fact_came_from_says_it_in_words_of_its_own(
    empty: Recall,
) -> None:
    told = await empty.memories.aobserve(
        [{"role": "user", "content": "Hi! I live in Ghent, by the way."}], keep_as="talk"
    )
    await empty.memories.aremember("I live in Antwerp", memory_id="other")

    assert (await empty.memories.aforget(*told.written)).repeated_in == ["talk"]
