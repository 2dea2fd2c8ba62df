"""Vectors on a server and vectors in the folder are never looked for, or deleted, in the wrong
place."""

from contextlib import aclosing, closing
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from secondhop.errors import StoreError, UnknownEntityError
from secondhop.memories.delete_entity import adelete_entity
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.place import (
    VectorsElsewhereError,
    place_of,
)


async def opened(home: StoreDirectory, entity: str = "me", *, mending: bool = False) -> EntityStore:
    return await home.open_entity(entity, embedder_id="hash-16", dimension=16, mending=mending)


async def filled(home: StoreDirectory, make: SimpleNamespace, entity: str = "me") -> None:
    async with aclosing(await opened(home, entity)) as one:
        await one.put([make.memory("m", "alpha", "beta"), make.memory("n", "gamma")])


async def reindexed(home: StoreDirectory, make: SimpleNamespace) -> None:
    async with home.reindexing("me", embedder_id="hash-16", dimension=16) as reindex:
        async for page in reindex.catalog.pages():
            all_of = [passage for _, passages in page for passage in passages]
            vectors = make.vectors(*(passage.text for passage in all_of))
            await reindex.new.passages.upsert([one.passage_id for one in all_of], vectors)
        await reindex.finish()


async def vectors_of(home: StoreDirectory, entity: str = "me") -> int | None:
    async with aclosing(await opened(home, entity)) as one:
        return (await one.counts()).vectors


def place_in(folder: Path) -> str | None:
    (path,) = folder.glob("entities/*/catalog.db")
    with closing(Catalog(path)) as catalog:
        return catalog.identity().server


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (None, ""),
        ("", ""),
        ("http://localhost:8000", "http://localhost:8000"),
        ("https://me:secret@host/path", "https://host:443"),
        ("http://[::1]:9000", "http://[::1]:9000"),
    ],
)
def test_a_place_is_told_without_what_opens_doors(url: str | None, place: str) -> None:
    assert place_of(url) == place


async def test_vectors_in_the_folder_are_not_looked_for_on_a_server(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    folder = tmp_path / "store"
    async with aclosing(StoreDirectory(folder)) as home:
        await filled(home, make)
    nowhere = "http://127.0.0.1:9"

    async with aclosing(StoreDirectory(folder, chroma_url=nowhere)) as home:
        with pytest.raises(VectorsElsewhereError, match="own folder; leave --chroma"):
            await vectors_of(home)
        with pytest.raises(VectorsElsewhereError, match="Nothing was changed"):
            await home.delete_entity("me")
    for dry_run in (True, False):
        with pytest.raises(VectorsElsewhereError):
            await adelete_entity(folder, "me", chroma_url=nowhere, dry_run=dry_run)

    async with aclosing(StoreDirectory(folder)) as home:
        assert await vectors_of(home) == 3
        assert await home.delete_entity("me")


async def test_two_that_opened_a_new_entity_in_two_places_do_not_both_write(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    folder = tmp_path / "store"
    here, there = StoreDirectory(folder), StoreDirectory(folder, chroma_url="http://127.0.0.1:9")
    async with aclosing(here), aclosing(there):
        async with aclosing(await opened(here)) as first, aclosing(await opened(there)) as second:
            await first.put([make.memory("m", "alpha", "beta"), make.memory("n", "gamma")])

            with pytest.raises(VectorsElsewhereError, match="own folder; leave --chroma"):
                await second.put([make.memory("o", "delta")])
            with pytest.raises(VectorsElsewhereError):
                await second.let_learn(on=False)

            await first.delete(["n"])
        assert place_in(folder) == ""
        assert await vectors_of(here) == 2


@pytest.mark.slow
async def test_an_entity_whose_vectors_are_on_a_server_is_deleted_there_or_not_at_all(
    tmp_path: Path, make: SimpleNamespace, chroma_server: str
) -> None:
    folder = tmp_path / "store"
    async with aclosing(StoreDirectory(folder, chroma_url=chroma_server)) as home:
        await filled(home, make)
        await filled(home, make, "other")
    assert place_in_all(folder) == {chroma_server}

    for dry_run in (True, False):
        with pytest.raises(StoreError, match=r"othing was (deleted|changed)") as told:
            await adelete_entity(folder, "me", dry_run=dry_run)
        assert chroma_server in str(told.value)
    async with aclosing(StoreDirectory(folder, chroma_url=chroma_server)) as home:
        assert await vectors_of(home) == 3  # none from the refused writes

    gone = await adelete_entity(folder, "me", chroma_url=chroma_server)

    assert gone.memories == 2
    assert collections_of(chroma_server, folder) == 1
    async with aclosing(StoreDirectory(folder, chroma_url=chroma_server)) as home:
        assert await vectors_of(home, "other") == 3
        await home.delete_entity("other")
    assert collections_of(chroma_server, folder) == 0


@pytest.mark.slow
async def test_a_store_on_a_server_is_not_taken_for_one_that_lost_its_vectors(
    tmp_path: Path, make: SimpleNamespace, chroma_server: str
) -> None:
    folder = tmp_path / "store"
    async with aclosing(StoreDirectory(folder, chroma_url=chroma_server)) as home:
        await filled(home, make)

    async with aclosing(StoreDirectory(folder)) as home:
        for mending in (False, True):
            with pytest.raises(VectorsElsewhereError, match=f"name it: --chroma {chroma_server}"):
                await opened(home, mending=mending)
    assert not (folder / "chroma").exists()

    async with aclosing(StoreDirectory(folder)) as home:
        await reindexed(home, make)
        assert await vectors_of(home) == 3
    assert place_in(folder) == ""


@pytest.mark.slow
async def test_an_entity_that_another_process_began_again_is_read_and_not_written_to(
    tmp_path: Path, make: SimpleNamespace, chroma_server: str
) -> None:
    async with (
        aclosing(StoreDirectory(tmp_path, chroma_url=chroma_server)) as home,
        aclosing(StoreDirectory(tmp_path, chroma_url=chroma_server)) as other,
    ):
        await filled(home, make)
        async with aclosing(await opened(home)) as mine:
            await stored_again(other, make)
            (hits,) = await mine.dense(make.vectors("gamma"), k=1)
            assert [hit.memory_id for hit in hits] == ["n"]

            for written in (mine.put([make.memory("o", "delta")]), mine.delete(["m"])):
                with pytest.raises(UnknownEntityError, match="open it again"):
                    await written
            assert (await mine.counts()).vectors == 3
        await home.delete_entity("me")


async def stored_again(home: StoreDirectory, make: SimpleNamespace) -> None:
    """Delete the entity, and store the same memories."""
    await home.delete_entity("me")
    await filled(home, make)


def place_in_all(folder: Path) -> set[str | None]:
    places: set[str | None] = set()
    for path in folder.glob("entities/*/catalog.db"):
        with closing(Catalog(path)) as catalog:
            places.add(catalog.identity().server)
    return places


def collections_of(server: str, folder: Path) -> int:
    """How many collections the store has on the server."""
    manifest = StoreDirectory(folder).place.manifest()
    assert manifest is not None
    database = "/api/v2/tenants/default_tenant/databases/default_database"
    found = httpx.get(f"{server}{database}/collections").raise_for_status().json()
    return sum(one["name"].startswith(manifest.store_id[:12]) for one in found)
