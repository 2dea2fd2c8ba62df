"""A `forget` that was cut short by a kill or an error is finished later, and the error says so."""

import asyncio
import errno
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import note
from tests.forget_and_die import PLACES
from tests.store_files import files_with
from tests.vector_files import files_with_vector

from secondhop.errors import NotStoredError, StoreFullError, UnfinishedForgettingError, UsageError
from secondhop.recall import Recall
from secondhop.stores.catalog import erasing
from secondhop.stores.records import Vector
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.trace_files import TraceFilesInFolder
from secondhop.stores.vectors.chroma import ChromaVectors

SECRET = "The vault opens with Zebraquartz Kandinsky."
SCRIPT = Path(__file__).with_name("forget_and_die.py")

pytestmark = pytest.mark.usefixtures("library_of_tests")


CUE = "Show the zebraquartz to a locksmith"


async def filled(store: Path) -> list[Vector]:
    """Fill a store with notes and a secret with a cue; returns the secret's vectors."""
    async with await Recall.aopen(store, embedder="hashing") as recall:
        await recall.memories.aadd([note(f"n{n}", f"Thoughts about topic {n}") for n in range(60)])
        await recall.memories.aadd([replace(note("secret", SECRET), cues=(CUE,))])
        await recall.arecall("What opens the vault?")
        (passage,) = [
            i
            for i in await recall.admin.store.passage_vectors.index.ids()
            if i.startswith("secret")
        ]
        (cue,) = await recall.admin.services.embedder.embed_passages([CUE])
        return [(await recall.admin.store.passage_vectors.index.fetch([passage]))[passage], cue]


def files_with_vectors(vectors: list[Vector], folder: Path) -> list[str]:
    return [name for vector in vectors for name in files_with_vector(vector, folder)]


def files_with_words(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in files if b"zebraquartz" in path.read_bytes().lower()]


@pytest.mark.slow
@pytest.mark.parametrize("where", PLACES)
async def test_what_a_kill_left_goes_when_the_memory_is_opened(tmp_path: Path, where: str) -> None:
    vectors = await filled(tmp_path)
    command = [sys.executable, str(SCRIPT), str(tmp_path), where]
    child = await asyncio.create_subprocess_exec(*command)
    assert await child.wait() == 9

    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        assert (await recall.memories.acounts()).memories == 60
        assert "secret" not in (await recall.arecall("What opens the vault?")).ids()

    assert files_with_words(tmp_path) == []
    assert files_with_vectors(vectors, tmp_path) == []


async def test_no_file_holds_the_id_of_what_was_forgotten_while_the_memory_stays_open(
    tmp_path: Path,
) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.memories.aadd([note(f"n{n}", f"Thoughts about topic {n}") for n in range(60)])
        await recall.memories.aadd([note("zebraquartz-id", SECRET)])
        await recall.memories.aforget("zebraquartz-id")

        assert files_with_words(tmp_path) == []


async def test_vectors_that_version_0_1_set_aside_go_with_a_forgotten_memory(
    tmp_path: Path,
) -> None:
    await filled(tmp_path)
    aside = tmp_path / "chroma.damaged-0a1b2c3d"
    aside.mkdir()
    (aside / "chroma.sqlite3").write_text(SECRET)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.memories.aforget("secret")

    assert not aside.exists()


async def test_an_error_on_the_way_is_told_and_another_forget_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise StoreFullError("no space is left")

    vectors = await filled(tmp_path)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        with monkeypatch.context() as patch:
            patch.setattr(ChromaVectors, "remove", full)
            with pytest.raises(UnfinishedForgettingError, match=r"secret has begun.*no space"):
                await recall.memories.aforget("secret")

        gone = await recall.memories.aforget("secret")
        assert (gone.memory_ids, gone.complete, gone.vectors_complete) == (["secret"], True, True)
        with pytest.raises(UsageError, match="secret"):
            await recall.memories.aforget("secret")

    assert files_with_words(tmp_path) == []
    assert files_with_vectors(vectors, tmp_path) == []


async def test_a_memory_is_not_shown_from_the_moment_on_that_its_forget_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise StoreFullError("no space is left")

    await filled(tmp_path)
    monkeypatch.setattr(ChromaVectors, "remove", full)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        with pytest.raises(UnfinishedForgettingError):
            await recall.memories.aforget("secret")
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        found = await recall.arecall("What opens the vault?", include_stale=True, k=64)
        with pytest.raises(NotStoredError):
            await recall.memories.aget("secret")
        listed = {one.memory_id for one in await recall.memories.alist()}
        briefed = (await recall.memories.abriefing(limit=64)).ids()
        told = await recall.admin.adoctor()

    assert len(listed) == 60
    assert "secret" not in {*found.ids(), *listed, *briefed}
    (pending,) = [one for one in told.findings if one.check == "forgetting"]
    assert (pending.examples, told.sound) == (["secret"], False)


async def test_opening_leaves_a_forget_to_whoever_is_in_the_middle_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(tmp_path)

    def opened_elsewhere() -> list[str]:
        with Recall.open(tmp_path, embedder="hashing") as recall:
            return recall.recall("Thoughts about topic 7").ids()

    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        store = recall.admin.store
        await store.erasure.begin(["secret"])
        async with asyncio.timeout(10), store.forgetting():
            assert await asyncio.to_thread(opened_elsewhere)
        assert await store.erasure.unfinished() == ["secret"]
    assert caplog.messages == []


async def test_a_memory_opens_even_if_there_is_no_room_to_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def cut_off(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    await filled(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(TraceFilesInFolder, "write", full)
        async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
            with pytest.raises(UnfinishedForgettingError, match="No space left"):
                await recall.memories.aforget("secret")
        async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
            assert (await recall.memories.acounts()).memories == 61
    with monkeypatch.context() as patch:
        patch.setattr(TraceFilesInFolder, "write", cut_off)
        with pytest.raises(asyncio.CancelledError):
            await Recall.aopen(tmp_path, embedder="hashing")
        assert not StoreDirectory(tmp_path).place.is_in_use("default")
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        assert (await recall.memories.acounts()).memories == 60


async def test_what_is_stored_again_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def full(*_: object) -> None:
        raise StoreFullError("no space is left")

    await filled(tmp_path)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        with monkeypatch.context() as patch:
            patch.setattr(ChromaVectors, "compact", full)
            with pytest.raises(UnfinishedForgettingError):
                await recall.memories.aforget("secret")
        await recall.memories.aadd([note("secret", "It opens with a plain key now.")])

    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        assert "secret" in (await recall.arecall("How does it open?")).ids()
    assert caplog.messages[-1].endswith("its memories were deleted before, its leftovers now")
    assert files_with_words(tmp_path) == []


async def test_the_vectors_of_a_big_memory_go_with_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secondhop.stores.erasure.COMPACTED_AT_ONCE", 10)
    vectors = await filled(tmp_path)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        gone = await recall.memories.aforget("secret")
        assert (gone.complete, gone.vectors_complete) == (True, False)
        (told,) = (await recall.admin.adoctor()).findings
        assert (told.check, told.weight, told.fixable) == ("vectors", "leftover", True)
        (fixed,) = (await recall.admin.adoctor(fix=True)).findings
        assert fixed.fixed
        assert (await recall.admin.adoctor()).findings == []
        assert (await recall.memories.acounts()).vectors == 60

    assert files_with_vectors(vectors, tmp_path) == []


async def with_shared_traces(recall: Recall, memory_ids: Sequence[str], folder: Path) -> None:
    """Store memories with "zebraquartz" in their titles, and recall all together an hour ago."""
    titled = [note(one, "It opens the vault", title=f"zebraquartz {one}") for one in memory_ids]
    await recall.memories.aadd(titled)
    for n in range(10):
        await recall.arecall(f"What opens vault {n}?")
    recall.admin.last_traces()  # waits until they are written
    await asyncio.to_thread(age, folder)


def age(folder: Path) -> None:
    """Make the traces an hour older."""
    then = time.time() - 3600
    for file in folder.rglob("*.json.gz"):
        os.utime(file, (then, then))


async def test_memories_forgotten_at_once_leave_no_words_in_the_traces_they_share(
    tmp_path: Path,
) -> None:
    ids = ["a", "b", "c", "d", "e", "f"]
    async with (
        await Recall.aopen(tmp_path, embedder="hashing") as here,
        await Recall.aopen(tmp_path, embedder="hashing") as elsewhere,
    ):
        await with_shared_traces(here, ids, tmp_path)
        gone = await asyncio.gather(
            *(here.memories.aforget(one) for one in ids[:3]),
            *(asyncio.to_thread(elsewhere.memories.forget, one) for one in ids[3:]),
        )

    assert all(one.complete and one.vectors_complete for one in gone)
    assert files_with(b"zebraquartz", tmp_path) == []


async def test_a_cancelled_forget_masks_nothing_while_the_next_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, began, ended = TraceFilesInFolder.write, threading.Event(), threading.Event()

    def first_slowly(self: TraceFilesInFolder, name: str, content: bytes, *, at_ns: int) -> None:
        if is_first := not began.is_set():
            began.set()
            time.sleep(0.4)
        write(self, name, content, at_ns=at_ns)
        if is_first:
            ended.set()

    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await with_shared_traces(recall, ["a", "b"], tmp_path)
        monkeypatch.setattr(TraceFilesInFolder, "write", first_slowly)
        cancelled = asyncio.create_task(recall.memories.aforget("a"))
        await asyncio.to_thread(began.wait)
        cancelled.cancel()
        gone = await recall.memories.aforget("b")
        await asyncio.to_thread(ended.wait)

    assert cancelled.cancelled()
    assert (gone.memory_ids, gone.complete) == (["b"], True)  # the cancelled one has erased "a"
    assert files_with(b"zebraquartz", tmp_path) == []


@pytest.mark.parametrize("step", ["note_erasing", "leave_erasing"])
async def test_a_forget_that_has_begun_goes_on_to_its_end_if_it_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await filled(tmp_path)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        original, reached = getattr(erasing, step), threading.Event()

        def slowly(*args: object) -> None:
            reached.set()
            time.sleep(0.1)
            original(*args)

        monkeypatch.setattr(erasing, step, slowly)
        forgetting = asyncio.create_task(recall.memories.aforget("secret"))
        await asyncio.to_thread(reached.wait)
        forgetting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await forgetting

        assert await recall.admin.store.erasure.unfinished() is None
        assert files_with_words(tmp_path) == []  # while the store stays open


async def test_a_step_of_forget_may_forget_more(tmp_path: Path) -> None:
    await filled(tmp_path)
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:

        class ForgetsMore:
            async def aforget(self, memory_ids: Sequence[str]) -> None:
                if "secret" not in memory_ids:
                    await recall.memories.aforget("secret")

        recall.memories.forgetting.append(ForgetsMore())
        await asyncio.wait_for(recall.memories.aforget("n1"), timeout=20)

        assert (await recall.memories.acounts()).memories == 59
    assert files_with_words(tmp_path) == []
