"""Concurrent puts are stored in turn, and each caller is told only about its own."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from secondhop.errors import UsageError
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import KeepingChange


@pytest.fixture
def store(own_store: EntityStore) -> EntityStore:
    return own_store


def nothing_else(_: KeepingView) -> Sequence[KeepingChange]:
    return ()


def refused(_: KeepingView) -> Sequence[KeepingChange]:
    raise UsageError("no")


async def test_one_that_is_refused_is_refused_alone(
    store: EntityStore, make: SimpleNamespace
) -> None:
    outcomes = await asyncio.gather(
        *(
            store.put_deciding(
                make.memory(f"m{n}", f"word{n}"), refused if n == 7 else nothing_else
            )
            for n in range(20)
        ),
        return_exceptions=True,
    )

    assert [n for n, outcome in enumerate(outcomes) if outcome is not None] == [7]
    assert isinstance(outcomes[7], UsageError)
    counts = await store.counts()
    assert (counts.memories, counts.vectors, counts.pending) == (19, 19, 0)
    assert await store.memory("m7") is None


async def test_each_decision_sees_what_came_before_it(
    store: EntityStore, make: SimpleNamespace
) -> None:
    seen: list[int] = []

    def look(view: KeepingView) -> Sequence[KeepingChange]:
        seen.append(sum(view.memory(f"m{n}") is not None for n in range(5)))
        return ()

    await asyncio.gather(
        *(store.put_deciding(make.memory(f"m{n}", f"word{n}"), look) for n in range(5))
    )

    assert seen == [0, 1, 2, 3, 4]


async def test_a_caller_that_goes_away_while_it_waits_keeps_nobody_from_storing(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory("before", "before")])
    tasks = [
        asyncio.create_task(store.put_deciding(make.memory(f"m{n}", f"word{n}"), nothing_else))
        for n in range(20)
    ]
    await asyncio.sleep(0.01)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    assert outcomes[1::2] == [None] * 10
    for number in range(1, 20, 2):
        assert await store.memory(f"m{number}") is not None
    counts = await store.counts()
    assert (counts.vectors, counts.pending) == (counts.memories, 0)
