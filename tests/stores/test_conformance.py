"""What every vector index must do, and what an entity's store must do over each index."""

from datetime import UTC, datetime
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest

from secondhop.errors import UsageError
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import EarlierText


def hash_of(text: str) -> str:
    """For an order that is the same in every run, and mixed."""
    return sha256(text.encode()).hexdigest()


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class TestVectorIndex:
    async def test_an_empty_index_answers_with_nothing(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        assert await index.nearest(make.vectors("a", "b"), k=3) == [[], []]
        assert await index.fetch(["a"]) == {}
        assert await index.ids() == set()
        assert await index.count() == 0
        await index.remove(["a"])

    async def test_erasing_what_was_removed_leaves_the_rest_as_it_was(
        self, index: VectorIndex, place: str, make: SimpleNamespace
    ) -> None:
        texts = [f"text {n}" for n in range(60)]
        await index.upsert(texts, make.vectors(*texts))
        await index.remove(texts[:5])
        before = await index.nearest(make.vectors("one question"), k=10)

        can = not place.endswith("server")
        assert await index.compact() is can

        assert await index.nearest(make.vectors("one question"), k=10) == before
        assert await index.count() == 55

    async def test_finds_the_nearest_first_with_their_cosine(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        texts = [f"text {n}" for n in range(60)]
        vectors = make.vectors(*texts)
        await index.upsert(texts, vectors)
        queries = make.vectors("one question", "text 7")
        for query, ranking in zip(queries, await index.nearest(queries, k=5), strict=True):
            best = np.argsort(-(vectors @ query))[:5]
            assert [found for found, _ in ranking] == [texts[place] for place in best]
            assert [c for _, c in ranking] == pytest.approx((vectors @ query)[best], abs=1e-5)

    async def test_equal_vectors_come_by_smaller_id(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        await index.upsert(["b", "c", "a"], make.vectors("same", "same", "same"))
        found = await index.nearest(make.vectors("same"), k=3)
        assert [passage_id for passage_id, _ in found[0]] == ["a", "b", "c"]

    async def test_many_equal_vectors_hide_no_others(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        others = [f"note {n}" for n in range(300)]
        equal = [f"pill {n}" for n in range(365)]
        vectors = dict(zip(others, make.vectors(*others), strict=True))
        vectors |= dict.fromkeys(equal, make.vectors("took my pill")[0])
        mixed = sorted(vectors, key=hash_of)
        for start in range(0, len(mixed), 20):
            part = mixed[start : start + 20]
            await index.upsert(part, np.stack([vectors[one] for one in part]))
        queries = np.stack([vectors[one] for one in others])

        found = await index.nearest(queries, k=1)

        assert [hits[0][0] for hits in found] == others
        every_day = await index.nearest(make.vectors("took my pill"), k=len(equal))
        assert [one for one, _ in every_day[0]] == sorted(equal)
        await index.remove(equal)
        found = await index.nearest(queries, k=1)
        assert [[one for one, _ in hits] for hits in found] == [[one] for one in others]

    async def test_upsert_replaces_and_doing_it_twice_changes_nothing(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        await index.upsert(["a"], make.vectors("old"))
        for _ in range(2):
            await index.upsert(["a"], make.vectors("new"))
        assert await index.count() == 1
        assert (await index.fetch(["a", "?"])).keys() == {"a"}
        assert (await index.fetch(["a"]))["a"] == pytest.approx(make.vectors("new")[0], abs=1e-6)

    async def test_removed_ids_are_gone_and_unknown_ones_no_error(
        self, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        texts = [f"t{n}" for n in range(120)]
        await index.upsert(texts, make.vectors(*texts))
        await index.remove([*texts[:110], "unknown"])
        assert await index.ids() == set(texts[110:])
        found = await index.nearest(make.vectors("t3"), k=20)
        assert {passage_id for passage_id, _ in found[0]} == set(texts[110:])


class TestEntityStore:
    async def test_what_was_put_is_found_by_both_legs_and_read_back(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        first = make.memory("m1", "the interview at Carefeed", "salary talk", title="Carefeed")
        await store.put([first, make.memory("m2", "a cake recipe")])
        dense = await store.dense(make.vectors("salary talk"), k=2)
        assert dense[0][0].memory_id == "m1"
        assert dense[0][0].score == pytest.approx(1.0, abs=1e-5)
        hits = (await store.lexical(["interviews"], k=5))[0]
        assert [hit.passage_id for hit in hits] == [first.passages[0].passage_id]
        assert await store.memory("m1") == first.memory
        assert await store.passages([hits[0].passage_id, "?"]) == {
            hits[0].passage_id: first.passages[0]
        }
        cards = await store.cards(["m1", "?"])
        assert {name: card.passage_count for name, card in cards.items()} == {"m1": 2}
        assert (await store.vectors([hits[0].passage_id, "?"])).keys() == {hits[0].passage_id}

    async def test_queries_asked_together_find_what_each_finds_alone(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        texts = ["alpha beta", "beta gamma delta", "gamma", "a delta of alpha rivers", "alpha"]
        await store.put([make.memory(f"m{n}", text) for n, text in enumerate(texts)])
        queries = ["alpha", "gamma delta", "nothing known", "", "alpha beta gamma", "alpha"]
        together = await store.lexical(queries, k=3)
        assert together == [(await store.lexical([query], k=3))[0] for query in queries]
        assert [len(hits) for hits in together] == [3, 3, 0, 0, 3, 3]
        assert await store.lexical([], k=3) == []

    async def test_words_are_looked_for_in_some_memories_alone(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        texts = ["alpha beta", "alpha", "alpha gamma", "alpha beta alpha", "beta"]
        await store.put([make.memory(f"m{n}", text) for n, text in enumerate(texts)])
        (everywhere,) = await store.lexical(["alpha beta"], k=9)
        (among,) = await store.lexical(["alpha beta"], k=9, memory_ids=["m0", "m2", "m4", "?"])
        assert among == [hit for hit in everywhere if hit.memory_id in {"m0", "m2", "m4"}]
        assert await store.lexical(["alpha"], k=9, memory_ids=[]) == [[]]

    async def test_an_empty_store_answers_with_nothing(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        assert await store.dense(make.vectors("a"), k=3) == [[]]
        assert (await store.lexical(["a word"], k=3))[0] == []
        assert await store.memory("m") is None
        assert await store.topics() == []
        assert await store.content_hashes() == {}
        assert await store.delete(["m"]) == 0
        counts = await store.counts()
        assert (counts.memories, counts.passages, counts.vectors) == (0, 0, 0)

    async def test_passages_that_stay_keep_their_ids_and_vectors_when_a_memory_goes_on(
        self, store: EntityStore, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        await store.put([make.memory("chat", "hello", "the boiler", "see"), make.memory("b", "x")])
        before = (await store.passage_ids(["chat"]))["chat"]
        own = np.ones((1, make.dimension), dtype=np.float32) / np.sqrt(make.dimension)
        await index.upsert(before[:1], own.astype(np.float32))  # written again, it would change

        await store.put([make.memory("chat", "hello", "the boiler", "see you", "bye")])

        after = (await store.passage_ids(["chat"]))["chat"]
        assert (after[:2], len(after)) == (before[:2], 4)
        assert before[2] not in after
        kept = (await store.vectors(after))[after[0]]
        np.testing.assert_allclose(kept, own[0], atol=1e-5)
        found = [(await store.lexical([word], k=5))[0] for word in ("boiler", "see", "bye")]
        assert [[hit.passage_id for hit in hits] for hits in found] == [[one] for one in after[1:]]
        counts = await store.counts()
        assert (counts.passages, counts.vectors, counts.pending) == (5, 5, 0)

    async def test_a_text_that_is_replaced_is_kept_beside_the_memory_and_never_found(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        store.clock = lambda: NOON
        old = make.memory("m", "alpha half", "beta", title="A", origin="mail/")
        new = make.memory("m", "gamma", title="A", origin="notes/")
        await store.put([old, make.memory("other", "delta")])
        await store.put([new])

        (kept,) = await store.look(lambda view: view.earlier_texts("m"))
        assert kept == EarlierText(memory=old.memory, replaced_at=NOON, replaced_by="notes/")
        assert await store.memory("m") == new.memory
        assert (await store.lexical(["alpha beta"], k=5))[0] == []
        dense = await store.dense(make.vectors("alpha half", "beta"), k=9)
        shown = {hit.passage_id for hits in dense for hit in hits}
        assert shown & {one.passage_id for one in old.passages} == set()
        assert len(shown) == 2
        counts = await store.counts()
        assert (counts.memories, counts.passages, counts.vectors) == (2, 2, 2)
        await store.delete(["m"])
        assert await store.look(lambda view: view.earlier_texts("m")) == []

    @pytest.mark.parametrize(
        ("old", "new", "kept"),
        [
            (["one"], ["one", "two"], False),  # a chat that was continued
            (["one", "two"], ["one", "two, and more", "three"], False),  # and a message that grew
            (["one", "two"], ["one"], True),
            (["one", "two"], ["one and more", "two"], True),
            (["one", "two"], ["two", "one"], True),
            ([], ["one"], False),
        ],
    )
    async def test_a_text_that_the_new_one_begins_with_is_not_kept(
        self,
        store: EntityStore,
        make: SimpleNamespace,
        old: list[str],
        new: list[str],
        kept: bool,
    ) -> None:
        await store.put([make.memory("m", *old)])
        await store.put([make.memory("m", *new)])
        assert len(await store.look(lambda view: view.earlier_texts("m"))) == kept

    async def test_deleted_memories_leave_nothing(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        await store.put([make.memory("a", "alpha", "common"), make.memory("b", "beta", "common")])
        gone = (await store.passage_ids(["a"]))["a"]
        assert len(await store.vectors(gone)) == 2
        assert await store.delete(["a", "a", "unknown"]) == 1
        assert await store.vectors(gone) == {}
        assert (await store.lexical(["alpha"], k=5))[0] == []
        assert {hit.memory_id for hit in (await store.lexical(["common"], k=5))[0]} == {"b"}
        counts = await store.counts()
        assert (counts.memories, counts.passages, counts.vectors, counts.pending) == (1, 2, 2, 0)

    async def test_vectors_the_catalog_does_not_know_are_never_shown(
        self, store: EntityStore, index: VectorIndex, make: SimpleNamespace
    ) -> None:
        await store.put([make.memory(f"m{n}", f"text {n}") for n in range(6)])
        strangers = [f"half:put:{n}" for n in range(30)]
        await index.upsert(strangers, make.vectors(*(["text 1"] * 30)))
        found = await store.dense(make.vectors("text 1"), k=4)
        assert len(found[0]) == 4
        assert found[0][0].memory_id == "m1"
        await store.open()
        assert (await store.counts()).vectors == 6

    async def test_odd_texts_come_back_as_they_were(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        odd = make.memory("ünï/код 🙂", "نص 🙂 \ufdd0", "", title="🙂")
        await store.put([odd])
        assert await store.memory("ünï/код 🙂") == odd.memory
        ids = [passage.passage_id for passage in odd.passages]
        assert await store.passages(ids) == {one.passage_id: one for one in odd.passages}
        assert await store.cards(["nul\0", "half \ud83d"]) == {}

    async def test_what_does_not_fit_together_is_refused_and_nothing_stored(
        self, store: EntityStore, make: SimpleNamespace
    ) -> None:
        good, bad = make.memory("good", "text"), make.memory("bad", "text")
        bad.vectors[0] *= 3
        with pytest.raises(UsageError, match="unit length"):
            await store.put([good, bad])
        with pytest.raises(UsageError, match="dimension"):
            await store.dense(np.ones((1, 3), dtype=np.float32), k=1)
        assert (await store.counts()).memories == 0
