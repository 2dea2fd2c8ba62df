"""A memory's earlier text under the same id is kept, told, exported and forgotten."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import note
from tests.store_files import files_with
from tests.vector_files import files_with_vector

from secondhop.ingest.batches import embedding_text
from secondhop.models.hashing import HashingEmbedder
from secondhop.observe.records import Said
from secondhop.recall import Recall
from secondhop.stores.records import Message

pytestmark = pytest.mark.usefixtures("library_of_tests")

OLD = "Zebraquartz opens the safe behind the Kandinsky"
NEW = "The safe is gone, and what was in it is at the bank"
MARCH = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await opened(tmp_path / "store") as recall:
        recall.admin.store.clock = lambda: MARCH
        yield recall


async def opened(folder: Path) -> Recall:
    return await Recall.aopen(folder, entity="mara", embedder="hashing")


async def replaced(recall: Recall) -> None:
    """Store a memory whose text was replaced, among other memories."""
    await recall.aadd([note(f"n{n}", f"Ordinary thoughts about topic {n}") for n in range(30)])
    await recall.aadd([note("safe", OLD, title="The Kandinsky", day=2)])
    await recall.aadd([note("safe", NEW, title="Safe", day=3)])


async def test_history_tells_what_it_said_when_that_was_replaced_and_by_which_input(
    recall: Recall, tmp_path: Path
) -> None:
    file = tmp_path / "notes" / "safe.md"
    file.parent.mkdir()
    file.write_text("# Safe\n\n" + OLD, encoding="utf-8")
    await recall.aingest(file.parent)
    file.write_text("# Safe\n\n" + NEW, encoding="utf-8")
    await recall.aingest(file.parent)
    (memory_id,) = await recall.admin.store.content_hashes()

    story = await recall.memories.ahistory(memory_id)

    earlier, present = story.versions
    assert (OLD in earlier.text, NEW in present.text) == (True, True)
    assert (earlier.replaced_at, earlier.replaced_by) == (MARCH, str(file.parent))
    assert earlier.end == f"replaced on 2026-03-01 by {file.parent}"
    assert (present.replaced_at, present.end) == (None, "")
    (done,) = [event for event in story.events if event.act == "replaced"]
    assert (done.memory_id, done.at, done.detail) == (memory_id, MARCH, str(file.parent))


async def test_history_names_the_speakers_of_earlier_and_present_texts(recall: Recall) -> None:
    for answer in ("No, white.", "Green it is."):
        said = (Message("user", "Shall we paint it green?"), Message("Ben", answer))
        await recall.aadd([replace(note("hall", ""), messages=said)])

    story = await recall.memories.ahistory("hall")

    assert [version.text for version in story.versions] == [
        "User: Shall we paint it green?\n\nBen: No, white.",
        "User: Shall we paint it green?\n\nBen: Green it is.",
    ]


async def test_a_recall_sees_the_present_text_alone_whatever_day_it_asks_about(
    recall: Recall,
) -> None:
    await replaced(recall)

    for question in ("Which Zebraquartz opens the Kandinsky?", "Where is what was in the safe?"):
        for as_of in (None, datetime(2026, 2, 1, tzinfo=UTC)):
            answer = await recall.arecall(question, k=40, as_of=as_of, include_stale=True)
            told = [passage.text for memory in answer.memories for passage in memory.evidence]
            assert not any("Zebraquartz" in text for text in told)
            assert len(answer.ids()) == len(set(answer.ids()))
    assert [hit.memory_id for hit in (await recall.admin.store.lexical(["bank"], k=5))[0]] == [
        "safe"
    ]
    assert (await recall.admin.store.lexical(["zebraquartz kandinsky"], k=5))[0] == []
    found = await recall.arecall("Where is what was in the safe?", as_of=MARCH)
    assert "safe" in found.ids()


async def test_nothing_of_an_earlier_text_is_left_in_any_file_once_it_is_forgotten(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aadd([note(f"n{n}", f"Ordinary thoughts about topic {n}") for n in range(30)])
    await recall.aadd([note("safe", OLD, title="The Kandinsky")])
    assert "safe" in (await recall.arecall("Which Zebraquartz opens it?")).ids()
    whole = await recall.admin.store.whole("safe")
    assert whole is not None
    texts = [embedding_text(whole[0], passage) for passage in whole[1]]
    (vector,) = await HashingEmbedder().embed_passages(texts)
    await recall.aadd([note("safe", NEW, title="Safe")])
    assert vector.tobytes() in cached_vectors(tmp_path)
    assert files_with_vector(vector, tmp_path)
    assert any("catalog.db" in name for name in files_with(b"zebraquartz", tmp_path))
    assert any(name.endswith(".json.gz") for name in files_with(b"zebraquartz", tmp_path))

    would = await recall.memories.aforget("safe", dry_run=True)
    assert files_with(b"zebraquartz", tmp_path)
    gone = await recall.memories.aforget("safe")

    assert (would.passages, gone.passages, gone.complete, gone.vectors_complete) == (
        1,
        1,
        True,
        True,
    )
    for words in (b"zebraquartz", b"kandinsky", b"at the bank"):
        assert files_with(words, tmp_path) == []
    assert vector.tobytes() not in cached_vectors(tmp_path)
    assert files_with_vector(vector, tmp_path) == []
    await recall.aadd([note("safe", "Another safe")])
    assert len((await recall.memories.ahistory("safe")).versions) == 1


def cached_vectors(folder: Path) -> set[bytes]:
    """All rows of the entity's cache of embeddings."""
    (path,) = folder.rglob("embeddings.db")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
        return {vector for (vector,) in file.execute("SELECT vector FROM vectors")}


async def test_two_exports_of_one_chat_in_a_folder_keep_no_more_with_every_ingest(
    recall: Recall, tmp_path: Path
) -> None:
    talk = [Said(role="user", content=f"Thought number {n}") for n in range(3)]
    for _ in range(4):
        for length in (2, 3):
            await recall.memories.aobserve(talk[:length], keep_as="talk", title="Talk")

    assert len((await recall.memories.ahistory("talk")).versions) <= 2


async def test_exports_and_imports_carry_earlier_texts_byte_for_byte(
    recall: Recall, tmp_path: Path
) -> None:
    await replaced(recall)
    await recall.aadd([note("safe", "Half of an emoji is no text: “☕”", title="☕", day=4)])
    lines = [line async for line in recall.admin.aexport()]
    async with await opened(tmp_path / "copy") as copy:
        await copy.admin.aimport(lines)
        await copy.admin.aimport(lines)
        again = [line async for line in copy.admin.aexport()]
        told = await copy.memories.ahistory("safe")

    assert again == lines
    assert [version.text for version in told.versions[:2]] == [OLD, NEW]
    assert told == await recall.memories.ahistory("safe")
