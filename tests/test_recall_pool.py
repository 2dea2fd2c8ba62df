"""Many entities in one process: few stay open, each is opened only once, and all answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import note

from secondhop.errors import (
    EmbedderMismatchError,
    StoreError,
    StoreUnavailableError,
    UnknownEntityError,
    UsageError,
)
from secondhop.memories.delete_entity import adelete_entity
from secondhop.prompts.templates import PromptError
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors import chroma_folder

PEOPLE = ("ana", "ben", "cem", "dora")

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[RecallPool]:
    async with RecallPool(tmp_path / "store", max_open=2, embedder="hashing") as opened:
        for person in PEOPLE:
            async with opened.recall(person) as recall:
                await recall.aadd([note("n", f"{person}'s budget is 90 a month.")])
        yield opened


async def answer(pool: RecallPool, person: str) -> str:
    async with pool.recall(person) as recall:
        result = await recall.arecall("What is the budget?")
        return " ".join(one.text for memory in result.memories for one in memory.evidence)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Entities in the order in which they were closed."""
    names: list[str] = []
    close = Recall.aclose

    async def noted(recall: Recall) -> None:
        names.append(recall.admin.services.entity)
        await close(recall)

    monkeypatch.setattr(Recall, "aclose", noted)
    return names


async def test_every_entity_answers_from_its_own_memories(pool: RecallPool) -> None:
    answers = await asyncio.gather(*(answer(pool, person) for person in PEOPLE * 2))

    assert answers == [f"{person}'s budget is 90 a month." for person in PEOPLE * 2]


async def test_the_least_recently_used_is_closed(pool: RecallPool, closed: list[str]) -> None:
    for person in ("ana", "ben", "ana", "cem"):
        await answer(pool, person)

    assert closed == ["cem", "dora", "ben"]


async def test_what_is_in_use_stays_open(pool: RecallPool, closed: list[str]) -> None:
    async with pool.recall("ana"):
        for person in ("ben", "cem", "dora"):
            await answer(pool, person)
        assert "ana" not in closed


async def test_blocks_share_what_is_open(pool: RecallPool) -> None:
    async with pool.recall("ana") as one, pool.recall("ana") as other:
        assert one is other


async def test_more_entities_than_indexes_in_memory(
    pool: RecallPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma_folder, "OPEN_COLLECTIONS", 2)

    answers = await asyncio.gather(*(answer(pool, person) for person in PEOPLE * 3))

    assert answers == [f"{person}'s budget is 90 a month." for person in PEOPLE * 3]


async def test_an_entity_that_cannot_be_opened_is_tried_again(
    pool: RecallPool, tmp_path: Path
) -> None:
    async with RecallPool(tmp_path / "store", embedder="default") as other:
        for _ in range(2):
            with pytest.raises(EmbedderMismatchError):
                await answer(other, "ana")


async def test_an_entity_that_is_not_in_use_can_be_deleted(
    pool: RecallPool, tmp_path: Path
) -> None:
    async with pool.recall("ana"):
        with pytest.raises(StoreError, match="in use"):
            await pool.aclose_entity("ana")
    await pool.aclose_entity("ana")

    await adelete_entity(tmp_path / "store", "ana")

    with pytest.raises(UnknownEntityError):
        await answer(pool, "ana")


async def test_an_entity_is_deleted_even_while_a_block_uses_it(
    pool: RecallPool, closed: list[str]
) -> None:
    async with pool.recall("ana") as recall:
        assert (await pool.adelete_entity("ana")).memories == 1
        with pytest.raises(UnknownEntityError):
            await recall.arecall("What is the budget?")
        async with pool.recall("ana") as again:
            await again.memories.aremember("My budget is 70 a month.")
    assert closed.count("ana") == 1  # by the block that used it
    assert await answer(pool, "ana") == "My budget is 70 a month."

    await pool.adelete_entity("ana")
    assert "ana" not in pool.entities
    with pytest.raises(UnknownEntityError):
        await pool.adelete_entity("ana")


async def test_an_entity_that_another_pool_has_open_is_deleted_for_both(
    pool: RecallPool, tmp_path: Path
) -> None:
    async with RecallPool(tmp_path / "store", embedder="hashing") as other:
        assert await answer(other, "ana")
        await pool.adelete_entity("ana")

        with pytest.raises(UnknownEntityError):
            await answer(other, "ana")
        async with other.recall("ana") as recall:
            await recall.memories.aremember("My budget is 70 a month.")
        assert await answer(pool, "ana") == "My budget is 70 a month."


def test_a_pool_is_closed_in_another_event_loop_than_it_was_used_in(tmp_path: Path) -> None:
    pool = RecallPool(tmp_path / "store", embedder="hashing")

    async def use() -> None:
        async with pool.recall("ana") as recall:
            await recall.memories.aremember("My budget is 70 a month.")

    asyncio.run(use())
    place = StoreDirectory(tmp_path / "store").place
    assert place.is_in_use("ana")

    asyncio.run(pool.aclose())

    assert not place.is_in_use("ana")


async def test_a_closed_pool_opens_nothing(pool: RecallPool, closed: list[str]) -> None:
    await pool.aclose()

    assert sorted(closed) == ["cem", "dora"]
    with pytest.raises(StoreError, match="was closed"):
        await answer(pool, "ana")


@pytest.mark.parametrize(
    ("given", "refusal", "said"),
    [
        ({"embeder": "hashing"}, TypeError, "RecallPool.. has no argument 'embeder'"),
        ({"lmm": "offline"}, TypeError, "RecallPool.. has no argument 'lmm'"),
        ({"prompts": "nofolder"}, PromptError, "nofolder"),
        ({"config": {"limits": {"k": 3}}}, UsageError, "config must be a secondhop Config"),
        ({"max_open": "5"}, UsageError, "max_open must be a whole number"),
    ],
)
def test_a_pool_refuses_wrong_arguments_when_it_is_made(
    given: dict[str, Any], refusal: type[Exception], said: str
) -> None:
    with pytest.raises(refusal, match=said):
        RecallPool("s8", **given)


async def test_a_store_that_the_pool_began_itself_is_missed_when_it_is_gone(
    tmp_path: Path,
) -> None:
    async with RecallPool(tmp_path / "new", embedder="hashing") as pool:
        async with pool.recall("ana") as recall:
            await recall.memories.aremember("ana's budget is 90 a month.")
        (tmp_path / "new").rename(tmp_path / "moved")

        with pytest.raises(StoreUnavailableError, match="is gone"):
            await answer(pool, "ana")

    assert not (tmp_path / "new").exists()


async def test_a_closed_pool_closes_what_was_deleted_in_use_and_deletes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Recall] = []
    aclose = Recall.aclose

    async def noted(recall: Recall) -> None:
        ended.append(recall)
        await aclose(recall)

    monkeypatch.setattr(Recall, "aclose", noted)
    pool = RecallPool(tmp_path, embedder="hashing")
    async with pool.recall("ana") as recall:
        await recall.memories.aremember("I live in Graz.")
        await pool.adelete_entity("ana")
        assert ended == []
        await pool.aclose()
        assert ended == [recall]
    with pytest.raises(StoreError, match="the pool was closed"):
        await pool.adelete_entity("ana")
