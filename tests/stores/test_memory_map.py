"""Clusters of memories: they are always the same, and have names."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import TypeVar

import pytest

from secondhop.ranking.keyphrases import topic_names
from secondhop.stores import memory_map
from secondhop.stores.cues import Annotation, Cue
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import Topic

T = TypeVar("T")


@pytest.fixture
def store(own_store: EntityStore) -> EntityStore:
    return own_store


async def test_recalls_that_ask_at_once_have_it_made_once(
    store: EntityStore, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put([make.memory(f"c{n}", "bread") for n in range(8)])
    asked: list[str] = []
    monkeypatch.setattr(memory_map, "sample", partial(counted, memory_map.sample, asked))
    maps = await asyncio.gather(*(store.topics() for _ in range(5)))
    assert (len(asked), all(one == maps[0] for one in maps)) == (1, True)


def counted(work: Callable[..., T], calls: list[str], *given: object) -> T:
    calls.append(work.__name__)
    return work(*given)


async def test_the_map_follows_the_store(store: EntityStore, make: SimpleNamespace) -> None:
    await store.put([make.memory(f"c{n}", "bread", title=f"Baking {n}") for n in range(8)])
    assert sum(topic.size for topic in await store.topics()) == 8
    await store.put([make.memory(f"s{n}", "salary", title=f"Salary {n}") for n in range(4)])
    grown = await store.topics()
    assert sum(topic.size for topic in grown) == 12
    assert {topic.label.split()[0] for topic in grown} == {"Baking", "Salary"}
    await store.delete([f"c{n}" for n in range(8)])
    assert [topic.size for topic in await store.topics()] == [4]


async def test_a_topic_is_named_by_what_its_memories_share_and_others_do_not(
    store: EntityStore, make: SimpleNamespace
) -> None:
    store.map.phrases_of = topic_names
    texts = (
        "Lena fed the sourdough starter again",
        "the sourdough starter and Lena said it was ready this year",
        "Lena likes a dark crust on the sourdough starter",
    )
    titles = ("New chat", "New chat", "The dense loaf")
    await store.put(
        [
            make.memory(f"b{n}", f"User: {text}\nAssistant: {text}", title=title)
            for n, (text, title) in enumerate(zip(texts, titles, strict=True))
        ]
    )
    topics = await store.topics()
    names = {name for topic in topics for name in topic.label.split(", ")}
    assert names <= {"Lena", "sourdough starter", "New chat", "The dense loaf"}
    shared = [topic.titles[0] for topic in topics if len(topic.titles) == 2]
    assert all(title == "The dense loaf" for title in shared)


async def test_a_topic_tells_what_its_memories_help_with(
    store: EntityStore, make: SimpleNamespace
) -> None:
    memory = make.memory("m", "no nuts for Mila")
    await store.put([memory])
    annotation = Annotation(
        memory_id="m",
        content_hash=memory.memory.content_hash,
        cues=(Cue(memory_id="m", text="pack lunch for Mila"),),
        role="health limit",
    )
    await store.cues.annotate([annotation], make.vectors("pack lunch for Mila"))
    await store.put([make.memory("n", "more")])

    assert "health limit" in ", ".join(topic.label for topic in await store.topics())


async def test_new_memories_make_a_new_map_only_when_they_are_many(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory(f"m{n}", f"word{n} and more") for n in range(100)])

    seen = [await mapped(store)]
    for number in range(3):
        await store.put_deciding(make.memory(f"s{number}", f"single {number}"), lambda _: ())
        seen.append(await mapped(store))
    await store.delete(["s0"])
    seen.append(await mapped(store))
    for changed in range(4):
        await store.put([make.memory(f"m{changed}", f"another text, number {changed}")])
        seen.append(await mapped(store))

    made = [one is not before for before, one in pairwise(seen)]
    assert made == [False, False, True, True, False, False, True, False]


async def mapped(store: EntityStore) -> Sequence[Topic]:
    return await store.topics()
