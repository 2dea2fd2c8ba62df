"""A full disk, and a folder that cannot be written: the error says what to do."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_disk import disk as disk
from tests.small_disk import when_idle

from secondhop.errors import StoreError, StoreFullError
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

IDA = "My sister is called Ida."


def filled(disk: Path) -> None:
    """Fill the disk to its last byte."""
    with (disk / "filler").open("wb", buffering=0) as filler:
        while free := shutil.disk_usage(disk).free:
            filler.write(bytes(free))


def write_protected(disk: Path) -> None:
    when_idle(["mount", "-o", "remount,ro", str(disk)])


@pytest.mark.parametrize("closed", [filled, write_protected])
async def test_where_nothing_can_be_written_it_is_told_what_to_do(
    disk: Path, closed: Callable[[Path], None]
) -> None:
    async with await Recall.aopen(disk / "store", embedder="hashing") as recall:
        await recall.aadd([note("ida", IDA), note("key", "The key is under the mat.")])
    closed(disk)

    with pytest.raises(StoreError, match=r"copy the store|free some"):
        async with await Recall.aopen(disk / "store", embedder="hashing") as recall:
            await recall.arecall("Who is Ida?")


async def test_what_is_made_again_can_be_deleted_to_forget_on_a_full_disk(disk: Path) -> None:
    async with await Recall.aopen(disk / "store", embedder="hashing") as recall:
        await recall.aadd([note(f"n{n}", f"Note {n}. " * 400) for n in range(60)])
    filled(disk)

    with pytest.raises(StoreFullError, match=r"SQLite writes before .* deletes") as told:
        async with await Recall.aopen(disk / "store", embedder="hashing") as recall:
            await recall.memories.aforget("n1")
    assert "embeddings.db" in str(told.value)


async def test_a_first_store_that_has_no_room_is_refused(disk: Path) -> None:
    (disk / "filler").write_bytes(bytes(16 * 2**20))
    (disk / "note.md").write_text(f"# Ida\n\n{IDA}", encoding="utf-8")

    async with await Recall.aopen(disk / "store", embedder="hashing") as recall:
        for act in (
            recall.aingest(disk / "note.md"),
            recall.aadd([note("ida", IDA)]),
            recall.memories.aremember(IDA),
        ):
            with pytest.raises(StoreFullError, match="free some space"):
                await act
        assert (await recall.memories.acounts()).memories == 0
