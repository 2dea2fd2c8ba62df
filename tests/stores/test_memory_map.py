"""Clusters of memories: they are always the same, and have names."""

from types import SimpleNamespace

import pytest

from secondhop.ranking.keyphrases import topic_names
from secondhop.stores.cues import Annotation, Cue
from secondhop.stores.entity_store import EntityStore


@pytest.fixture
def store(own_store: EntityStore) -> EntityStore:
    return own_store


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
