"""Care for a whole memory: examine, repair, export, import, back up."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import note

from secondhop.memories.records import Fact, Preference
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


def on(month: int) -> datetime:
    return datetime(2026, month, 1, 8, 30, 0, 250_000, tzinfo=UTC)


async def opened(folder: Path) -> Recall:
    return await Recall.aopen(folder, entity="mara", embedder="hashing")


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await opened(tmp_path / "store") as recall:
        await recall.aadd(
            [
                note("tea", "Mara drinks tea: “sencha” ☕", day=2),
                note("mat", "The key is under the mat", day=3),
                note("hook", "The key is on the hook", day=4),
            ]
        )
        await recall.memories.asupersede("mat", "hook", reason="seen")
        await recall.memories.aremember(
            Fact(subject="me", attribute="job", value="baker"), at=on(1)
        )
        await recall.memories.aremember(Fact(subject="me", attribute="job", value="cook"), at=on(2))
        await recall.memories.aremember(
            Preference(text="Short, please", topic="length"), salience=0.7
        )
        await recall.memories.aupdate("tea", valid_until=on(12))
        result = await recall.arecall("Where is the key?")
        await recall.memories.aaccept(result, result.ids()[:1])
        yield recall


def catalog_of(folder: Path) -> Path:
    return next(folder.rglob("catalog.db"))


async def test_a_file_carries_it_too_and_other_texts_are_left_alone(
    recall: Recall, tmp_path: Path
) -> None:
    assert await recall.admin.aexport_to(tmp_path / "all.jsonl") == 6
    async with await opened(tmp_path / "copy") as copy:
        await copy.aadd([note("mat", "Something else under this id")])
        done = await copy.admin.aimport_from(tmp_path / "all.jsonl")
        kept = await copy.admin.store.memory("mat")

    assert done.conflicts == ["mat"]
    assert kept is not None
    assert kept.messages[0].content == "Something else under this id"


async def test_an_import_says_how_far_it_is(recall: Recall, tmp_path: Path) -> None:
    lines = [line async for line in recall.admin.aexport()]
    told = list[tuple[str, int, int | None]]()

    def progress(stage: str, done: int, total: int | None) -> None:
        told.append((stage, done, total))

    async with await Recall.aopen(tmp_path / "copy", embedder="hashing") as copy:
        await copy.admin.aimport(lines, progress=progress)

    assert told == [("store", 6, 6)]


async def test_a_sound_memory_has_no_findings(recall: Recall) -> None:
    told = await recall.admin.adoctor()

    assert (told.memories, told.passages, told.findings) == (6, 6, [])
    assert told.sound
    assert len(told.checks) == 10


async def test_a_value_that_came_back_is_no_duplicate(recall: Recall) -> None:
    for month, town in enumerate(("Bonn", "Kiel", "Bonn"), start=1):
        home = Fact(subject="me", attribute="home", value=town)
        await recall.memories.aremember(home, at=datetime(2026, month, 1, tzinfo=UTC))
    assert (await recall.admin.adoctor()).findings == []

    await recall.aadd([note("one", "the same words"), note("two", "the same words")])
    (found,) = (await recall.admin.adoctor()).findings
    assert (found.check, found.examples) == ("duplicates", ["one, two"])


async def test_orphaned_vectors_are_found_and_removed(recall: Recall) -> None:
    vector = np.eye(1, 256, dtype=np.float32)
    await vars(recall.admin.store)["_index"].upsert(["ghost:1:0"], vector)

    found = await recall.admin.adoctor()
    mended = await recall.admin.adoctor(fix=True)

    assert [(one.check, one.count, one.fixed) for one in found.findings] == [("vectors", 1, False)]
    assert found.sound
    assert [one.fixed for one in mended.findings] == [True]
    assert (await recall.admin.adoctor()).findings == []


async def test_values_that_supersede_one_another_are_found_and_one_can_be_restored(
    recall: Recall, tmp_path: Path
) -> None:
    """Version 0.1 wrote such values if the older one had the later date."""
    (old, new) = [
        (
            await recall.memories.aremember(Fact(subject="Ana", attribute="town", value=town))
        ).memory_id
        for town in ("Bonn", "Trier")
    ]
    with closing(sqlite3.connect(catalog_of(tmp_path / "store"))) as raw, raw:
        raw.execute(
            "REPLACE INTO keeping (memory_id, salience, deprecated_because, superseded_at, "
            "superseded_by) VALUES (?, 0.5, '', '2026-01-01T00:00:00+00:00', ?)",
            (new, old),
        )
    assert await recall.memories.afacts("Ana") == []

    told = await recall.admin.adoctor(fix=True)
    await recall.memories.arestore(new)

    assert [(one.check, one.weight, one.fixed) for one in told.findings] == [
        ("circles", "damage", False)
    ]
    assert set(told.findings[0].examples[0].split(", ")) == {old, new}
    assert [fact.value for fact in await recall.memories.afacts("Ana")] == ["Trier"]
    assert (await recall.admin.adoctor()).sound


async def turned(recall: Recall, passage: str) -> None:
    """Replace the vector of a passage with another one."""
    await vars(recall.admin.store)["_index"].upsert([passage], np.eye(1, 256, dtype=np.float32))


async def test_vectors_that_the_model_does_not_give_are_damage(recall: Recall) -> None:
    (passage,) = [
        i for i in await recall.admin.store.passage_vectors.index.ids() if i.startswith("tea:")
    ]
    await turned(recall, passage)

    told = await recall.admin.adoctor(fix=True)

    assert [(one.check, one.examples, one.fixed) for one in told.findings] == [
        ("embeddings", [passage], False)
    ]
    assert not told.sound


async def test_doubles_and_contradictions_are_for_a_person_to_decide(recall: Recall) -> None:
    await recall.aadd([note("tea2", "Mara drinks tea: “sencha”  ☕", day=5)])
    (fact,) = await recall.memories.afacts("me")
    old = (await recall.memories.ahistory(fact.memory_id)).versions[0].memory_id
    await recall.memories.arestore(old)

    told = await recall.admin.adoctor(fix=True)

    assert [one.check for one in told.findings] == ["duplicates", "contradictions"]
    assert told.findings[0].examples == ["tea, tea2"]
    assert told.findings[1].examples[0].startswith("me, job: baker")
    assert told.sound
