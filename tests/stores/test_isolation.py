"""Two entities with the same texts never see each other's memories or change their answers."""

from contextlib import aclosing
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secondhop.stores.entity_store import EntityStore
from secondhop.stores.store_directory import StoreDirectory

TEXTS = [f"text {word} number {n}" for n, word in enumerate(["apple", "pear", "plum", "fig"] * 5)]

Writes = list[tuple[str, int, bool]]
"""[(entity, number of the text, True to store it or False to delete it)]."""

WRITES = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, len(TEXTS) - 1), st.booleans()), max_size=12
)


async def answers(store: EntityStore, make: SimpleNamespace) -> object:
    queries = make.vectors("some question", *TEXTS[:3])
    dense = await store.dense(queries, k=7)
    lexical = [(await store.lexical([query], k=7))[0] for query in ("apple", "text number 3 pear")]
    return dense, lexical, await store.counts(), await store.topics(), await store.content_hashes()


@settings(derandomize=True, max_examples=10, deadline=None)
@given(writes=WRITES)
async def test_an_entity_answers_as_if_it_were_alone(
    tmp_path_factory: pytest.TempPathFactory, make: SimpleNamespace, writes: Writes
) -> None:
    shared, alone = (StoreDirectory(tmp_path_factory.mktemp("home")) for _ in range(2))
    async with aclosing(shared), aclosing(alone):
        stores = {
            name: await home.open_entity(name[0], embedder_id=make.embedder, dimension=16)
            for name, home in (("a", shared), ("b", shared), ("a alone", alone))
        }
        for who, number, keep in writes:
            for store in [stores[who], *([stores["a alone"]] if who == "a" else [])]:
                if keep:
                    await store.put([make.memory(f"m{number}", TEXTS[number])])
                else:
                    await store.delete([f"m{number}"])
        assert await answers(stores["a"], make) == await answers(stores["a alone"], make)
        for store in stores.values():
            await store.aclose()


async def test_what_one_entity_stores_the_other_never_sees(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    mine = await home.open_entity("a", embedder_id=make.embedder, dimension=16)
    theirs = await home.open_entity("A", embedder_id=make.embedder, dimension=16)
    async with aclosing(mine), aclosing(theirs):
        await mine.put([make.memory("secret", "my salary", title="Salary")])
        await theirs.put([make.memory("open", "their garden")])
        (passage,) = ((await mine.lexical(["salary"], k=9))[0])[:1]
        assert (await theirs.lexical(["salary"], k=9))[0] == []
        found = await theirs.dense(make.vectors("my salary"), k=9)
        assert [hit.memory_id for hit in found[0]] == ["open"]
        assert await theirs.vectors([passage.passage_id]) == {}
        assert await theirs.passages([passage.passage_id]) == {}
        assert await theirs.cards(["secret"]) == {}
        assert await theirs.memory("secret") is None
        assert await theirs.delete(["secret"]) == 0
        assert await mine.memory("secret") is not None
