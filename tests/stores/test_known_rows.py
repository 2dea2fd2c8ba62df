"""Rows that were read are remembered until anything in the catalog changes."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from secondhop.stores.catalog import reads
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import KeepingView, keep_decided
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.postgres.place import PostgresPlace

IDENTITY = Identity(entity="me", embedder_id="hash-16", dimension=16)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def catalogs(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[tuple[Catalog, Catalog]]":
    """Two catalogs of one entity, as two processes have them."""
    with ExitStack() as closes:
        if request.param == "postgres":
            address = request.getfixturevalue("postgres").database()
            place = closes.enter_context(closing(PostgresPlace(address, chroma_url=None)))
            place.found(IDENTITY)
            ours, theirs = place.catalog("me"), place.catalog("me")
        else:
            ours, theirs = Catalog(tmp_path / "catalog.db"), Catalog(tmp_path / "catalog.db")
        closes.callback(ours.close)
        closes.callback(theirs.close)
        ours.create(IDENTITY)
        yield ours, theirs


@pytest.mark.parametrize("writer", [0, 1])
async def test_a_change_of_ours_or_of_another_connection_is_seen(
    catalogs: "tuple[Catalog, Catalog]", make: SimpleNamespace, writer: int
) -> None:
    ours, writing = catalogs[0], catalogs[writer]
    memory = make.memory("m1", "text")
    at = memory.memory.created_at

    def matters(view: KeepingView) -> list[KeepingChange]:
        changed = Keeping(salience=0.9)
        return [KeepingChange(memory_id="m1", keeping=changed, act="changed", at=at)]

    assert (await ours.known.of(reads.cards, ["m1"])) == {}
    writing.store([memory], intent=writing.intend([]), at=at)
    assert (await ours.known.of(reads.cards, ["m1", "m2"]))["m1"].keeping.salience == 0.5
    writing.write(keep_decided, matters)
    assert (await ours.known.of(reads.cards, ["m1"]))["m1"].keeping.salience == 0.9
    assert set(await ours.known.whole(reads.keepings)) == {"m1"}
    writing.remove(["m1"])
    assert (await ours.known.of(reads.cards, ["m1"])) == {}
