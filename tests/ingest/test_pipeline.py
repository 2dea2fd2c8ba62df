"""Whole ingests into a store in memory."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from secondhop.errors import IngestError, ModelError
from secondhop.ingest import batches
from secondhop.ingest.ledger import IngestLedger, NothingIngestedError
from secondhop.ingest.pipeline import ingest, ingest_memories
from secondhop.models.embedder import Vectors
from secondhop.stores.records import Memory, Message

if TYPE_CHECKING:
    from tests.ingest.conftest import CrcEmbedder, WatchedStore


def memory(memory_id: str, text: str = "hello", *, origin: str = "") -> Memory:
    return Memory(
        memory_id=memory_id,
        title="",
        source="note",
        created_at=datetime(2024, 5, 1, tzinfo=UTC),
        messages=(Message("user", text),),
        origin=origin,
    )


Reads = Callable[..., Awaitable[IngestLedger]]
"""Ingests paths and returns the ledger."""


@pytest.fixture
def read(writer: WatchedStore, embedder: CrcEmbedder) -> Reads:
    async def reads(*paths: Path, dry_run: bool = False) -> IngestLedger:
        return await ingest(paths, writer=writer, embedder=embedder, dry_run=dry_run)

    return reads


@pytest.fixture
async def notes(samples: Path, tmp_path: Path, read: Reads) -> Path:
    """A copy of the folder of notes that has been ingested once."""
    folder = copytree(samples / "notes", tmp_path / "notes")
    await read(folder)
    return folder


async def test_of_two_ingests_of_one_folder_at_once_one_says_that_it_stored_it(
    samples: Path, writer: WatchedStore, embedder: CrcEmbedder, read: Reads
) -> None:
    embedder.seconds_a_text = 0.005

    both = await asyncio.gather(read(samples / "notes"), read(samples / "notes"))

    n_notes = len(writer.kept)
    assert sum(one.stored for one in both) == sum(one.unchanged for one in both) == n_notes
    assert {one.read for one in both} == {n_notes}


async def test_a_second_ingest_stores_and_embeds_nothing(
    samples: Path, writer: WatchedStore, embedder: CrcEmbedder, read: Reads
) -> None:
    first = await read(samples)
    asked = len(embedder.asked)
    second = await read(samples)
    assert (first.read, first.stored, first.unchanged) == (20, 20, 0)
    assert (second.read, second.stored, second.unchanged, second.deleted) == (20, 0, 20, 0)
    assert len(embedder.asked) == asked
    assert len(writer.kept) == 20


async def test_what_is_gone_from_a_folder_is_deleted_and_what_changed_is_replaced(
    notes: Path, writer: WatchedStore, read: Reads
) -> None:
    (notes / "projects" / "garden.md").unlink()
    (notes / "2024-05-01.md").write_text("# Standup\n\nRuth has the rack key.\n")
    ledger = await read(notes)
    assert (ledger.stored, ledger.replaced, ledger.unchanged, ledger.deleted) == (1, 1, 1, 1)
    assert ledger.notices == ()
    assert set(writer.kept) == {"2024-05-01.md", "servers.md"}
    assert "Ruth" in writer.texts("2024-05-01.md")[0]


async def test_a_corrupted_export_wipes_nothing_and_the_ledger_says_so(
    samples: Path, tmp_path: Path, writer: WatchedStore, read: Reads
) -> None:
    folder = copytree(samples / "chatgpt", tmp_path / "chatgpt")
    (folder / "note.md").write_text("beside it")
    await read(folder)
    export = folder / "conversations.json"
    export.write_bytes(export.read_bytes()[:1000])
    ledger = await read(folder)
    assert (ledger.unchanged, ledger.deleted, len(writer.kept)) == (1, 0, 3)
    assert not ledger.deletions_followed
    (kept_back,) = ledger.deletions_not_followed
    assert "conversations.json" in kept_back.reason


async def test_a_wrong_path_stores_nothing_of_the_others(
    samples: Path, writer: WatchedStore, read: Reads
) -> None:
    with pytest.raises(IngestError, match="does not exist"):
        await read(samples, samples / "nowhere")
    assert not writer.kept


async def test_two_folders_may_hold_a_note_of_the_same_name(
    tmp_path: Path, writer: WatchedStore, read: Reads
) -> None:
    for name in ("work", "home"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "todo.md").write_text(f"for {name}")
    for folders in (["work"], ["home"], ["home", "work"], ["work", "home"]):
        ledger = await read(*(tmp_path / name for name in folders))
        assert ledger.deleted == 0
    assert sorted(text for key in writer.kept for text in writer.texts(key)) == [
        "for home",
        "for work",
    ]
    assert ledger.unchanged == 2


def _export(folder: Path, name: str, *, text: str, updated: float | None) -> None:
    content = {"content_type": "text", "parts": [text]}
    node: dict[str, object] = {
        "parent": None,
        "children": [],
        "message": {"author": {"role": "user"}, "content": content},
    }
    conversation: dict[str, object] = {
        "id": "c",
        "title": "t",
        "create_time": 1714557600,
        "update_time": updated,
    }
    export = [{**conversation, "mapping": {"a": node}, "current_node": "a"}]
    (folder / name).write_text(json.dumps(export))


@pytest.mark.parametrize("names", [("june.json", "july.json"), ("a.json", "b.json")])
async def test_of_two_exports_the_later_update_of_a_conversation_wins(
    tmp_path: Path, writer: WatchedStore, names: tuple[str, str], read: Reads
) -> None:
    _export(tmp_path, names[0], text="old", updated=1714557600)
    _export(tmp_path, names[1], text="new", updated=1717236000)
    ledger = await read(tmp_path)
    assert writer.texts("c") == ["new"]
    assert (ledger.read, ledger.stored, len(ledger.skipped)) == (2, 1, 1)


async def test_one_id_with_two_contents_keeps_the_first_and_names_the_second(
    tmp_path: Path, writer: WatchedStore, read: Reads
) -> None:
    rows = [{"id": "a", "text": text, "date": "2024-05-01"} for text in ("one", "two", "one")]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    ledger = await read(tmp_path)
    assert writer.texts("a") == ["one"]
    assert ["says something else" in s.reason for s in ledger.skipped] == [True, False]


async def test_a_format_that_was_asked_for_does_not_delete_the_others(
    samples: Path,
    writer: WatchedStore,
    embedder: CrcEmbedder,
    read: Reads,
) -> None:
    await read(samples)
    ledger = await ingest([samples], writer=writer, embedder=embedder, format="markdown")
    assert (ledger.unchanged, ledger.deleted, len(writer.kept)) == (3, 0, 20)


async def test_a_huge_memory_is_put_whole_in_a_time_that_grows_with_its_length(
    tmp_path: Path,
    writer: WatchedStore,
    embedder: CrcEmbedder,
    read: Reads,
) -> None:
    async def work_on(numbers: int) -> tuple[IngestLedger, float]:
        (tmp_path / "huge.txt").write_text(" ".join(map(str, range(numbers))))
        began = time.process_time()
        return await read(tmp_path), time.process_time() - began

    _, for_a_tenth = await work_on(4_500)
    writer.puts.clear()
    ledger, for_all = await work_on(45_000)
    assert for_all < 30 * for_a_tenth  # linear: 10, plus the start; quadratic: 100
    assert ledger.passages == (await writer.counts()).passages > 4 * batches.TEXTS_AT_ONCE
    assert max(len(texts) for texts in embedder.asked) == batches.TEXTS_AT_ONCE
    assert len(writer.puts) == 1


class FailingEmbedder:
    """Fails at its third batch."""

    model_id, dimension, calls = "failing", 16, 0

    def __init__(self, inner: CrcEmbedder) -> None:
        self._inner = inner

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.calls == 3:
            raise ModelError("out of memory")
        return await self._inner.embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


async def test_a_failure_leaves_what_was_embedded_before_it_stored_and_nothing_half(
    writer: WatchedStore, embedder: CrcEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "TEXTS_AT_ONCE", 4)
    memories = [memory(str(n), f"text {n}") for n in range(20)]
    failing = FailingEmbedder(embedder)
    with pytest.raises(ModelError, match="out of memory"):
        await ingest_memories(memories, writer=writer, embedder=failing)
    assert len(writer.kept) == 8
    ledger = await ingest_memories(memories, writer=writer, embedder=embedder)
    assert (ledger.unchanged, ledger.stored) == (8, 12)


async def test_a_cancelled_ingest_finishes_the_put_it_began(
    writer: WatchedStore, embedder: CrcEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "TEXTS_AT_ONCE", 2)
    embedder.seconds_a_text, writer.put_seconds = 0.005, 0.05
    memories = [memory(str(n), f"text {n}") for n in range(200)]
    ingesting = asyncio.create_task(ingest_memories(memories, writer=writer, embedder=embedder))
    await asyncio.sleep(0.3)
    ingesting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ingesting
    puts = len(writer.puts)
    await asyncio.sleep(0.1)
    assert 0 < len(writer.puts) == puts < 100


async def test_a_folder_that_was_moved_is_followed_to_its_new_place(
    writer: WatchedStore, tmp_path: Path, read: Reads
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    for name in ("a", "b"):
        (old / f"{name}.md").write_text(f"note {name}")
    await read(old)
    old.rename(new)
    moved = await read(new)
    assert (moved.stored, moved.unchanged, moved.deleted) == (0, 2, 0)

    old.mkdir()
    (old / "c.md").write_text("another note")
    assert (await read(old)).deleted == 0
    assert set(writer.kept) == {"a.md", "b.md", "c.md"}

    (new / "b.md").unlink()
    assert (await read(new)).deleted == 1
    assert set(writer.kept) == {"a.md", "c.md"}


async def test_what_two_files_of_one_name_say_stays_with_the_first_while_it_is_there(
    writer: WatchedStore, tmp_path: Path, read: Reads
) -> None:
    tea, oat, rye, sun = (f"# {name}\n{name}.\n" for name in ("tea", "oat", "rye", "sun"))
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "a.md").write_text(tea + oat + rye)
    (second / "a.md").write_text(sun + oat + rye + "# oat\nporridge.\n")
    await read(first)
    ledger = await read(second)
    assert (ledger.stored, ledger.unchanged) == (2, 2)
    everything = ["a.md#oat", "a.md#rye", "a.md#sun", "a.md#tea"]
    assert writer.kept == sorted([*everything, "a.md#oat-2"])

    (second / "a.md").write_text(sun + rye)
    assert (await read(second)).deleted == 1
    assert ((await read(first)).unchanged, writer.kept) == (3, everything)

    (first / "a.md").unlink()
    (second / "a.md").write_text(sun + oat)
    assert (await read(second)).unchanged == 2
    assert (await writer.origins())["a.md#oat"] == (await writer.origins())["a.md#sun"]
    (second / "a.md").write_text(sun + rye)
    assert (await read(second)).deleted == 1


async def test_nothing_at_all_is_an_error(tmp_path: Path, read: Reads) -> None:
    with pytest.raises(NothingIngestedError, match="an empty folder"):
        await read(tmp_path)
    with pytest.raises(NothingIngestedError, match="nothing to read"):
        await read()


async def test_a_program_may_add_no_memory_and_an_empty_one_is_an_error(
    writer: WatchedStore, embedder: CrcEmbedder
) -> None:
    none = await ingest_memories([], writer=writer, embedder=embedder)
    blank = [memory("a", " ")]
    with pytest.raises(NothingIngestedError, match=r"no message with text$"):
        await ingest_memories(blank, writer=writer, embedder=embedder)

    assert (none.read, none.stored, writer.kept) == (0, 0, [])


async def test_a_part_of_a_folder_that_was_read_before_is_read_as_that_part(
    notes: Path, writer: WatchedStore, read: Reads
) -> None:
    before = set(writer.kept)

    edited = notes / "projects" / "garden.md"
    edited.write_text("# Garden\n\nRuth has the hose.\n")
    by_file = await read(edited)
    assert (by_file.read, by_file.stored) == (1, 1)
    assert set(writer.kept) == before
    assert "Ruth" in writer.texts("projects/garden.md")[0]

    edited.write_text("# Garden\n\nMia has the hose.\n")
    (notes / "servers.md").unlink()
    by_folder = await read(edited.parent)
    assert (by_folder.stored, by_folder.deleted) == (1, 0)
    assert set(writer.kept) == before, "what is gone from elsewhere in the folder is not known"
    assert [one.reason for one in by_folder.deletions_not_followed] == [
        "only a part of it was read, so nothing stored from the rest was deleted"
    ]

    all_of_it = await read(notes)
    assert (all_of_it.stored, all_of_it.unchanged, all_of_it.deleted) == (0, 2, 1)


async def test_cues_that_cannot_be_stored_are_named_and_the_memory_is_stored(
    writer: WatchedStore, embedder: CrcEmbedder
) -> None:
    given = replace(
        memory("a"),
        cues=("x" * 201, "bell\u0007", *(f"request number {n}" for n in range(7))),
        broad_cues=("plan a dinner",),
        role="long " * 20,
        replaces=("a", "old"),
    )
    ledger = await ingest_memories([given], writer=writer, embedder=embedder)

    (kept,) = (await writer.cues.annotations(["a"]))["a"]
    requests = [f"request number {n}" for n in range(6)]
    assert [cue.text for cue in kept.cues] == [*requests, "plan a dinner"]
    assert (kept.role, kept.replaces) == ("", ("old",))
    reasons = " ".join(one.reason for one in ledger.notices)
    assert "201 characters" in reasons
    assert "control" in reasons
    assert "at most 6 specific cues" in reasons
    assert "role" in reasons


async def test_other_cues_of_a_stored_text_are_stored_and_told_by_a_dry_run(
    tmp_path: Path, writer: WatchedStore, read: Reads
) -> None:
    rows, row = tmp_path / "rows.jsonl", {"id": "a", "text": "Ana swells up", "date": "2026-01-02"}
    rows.write_text(json.dumps(row))
    await read(rows)
    rows.write_text(json.dumps({**row, "cues": ["bake for Ana"]}))

    planned = await read(rows, dry_run=True)
    ledger = await read(rows)

    assert planned.plan is not None
    assert planned.plan.other_cues == ("a",)
    assert (ledger.stored, ledger.unchanged, ledger.other_cues) == (0, 1, 1)
    assert [cue.text for cue in (await writer.cues.of_memories(["a"]))["a"]] == ["bake for Ana"]


async def test_what_a_stored_row_lacks_is_a_notice_and_nothing_was_skipped(
    tmp_path: Path, read: Reads
) -> None:
    row = {"id": "a", "text": "Ana has no nuts.", "date": "soon", "cues": "bake", "tags": [7]}
    scenario = {"id": "b", "title": "", "source": "note", "created_at": "once", "broad": 3}
    said = [{"role": "user", "content": "Tea at four."}]
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    (tmp_path / "conversations.jsonl").write_text(json.dumps(scenario | {"messages": said}))

    ledger = await read(tmp_path)

    assert (ledger.stored, ledger.skipped) == (2, ())
    assert [one.reason.partition(":")[0] for one in ledger.notices] == [
        "broad",
        "its date 'once' cannot be read; the file's date is used instead",
        "cues",
        "tags",
        "its date 'soon' cannot be read; the file's date is used instead",
    ]
    assert len(json.loads(json.dumps(ledger.to_dict()))["notices"]) == 5
