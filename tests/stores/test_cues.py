"""What every store must do with cues and annotations, over each vector index."""

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import note

from secondhop.errors import CorruptStoreError, UsageError
from secondhop.recall import Recall
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.cue_writes import store_given
from secondhop.stores.catalog.cues import replaced_by
from secondhop.stores.catalog.migrations import MIGRATIONS
from secondhop.stores.catalog.writes import store_memories
from secondhop.stores.cues import Annotation, Cue, cues_given
from secondhop.stores.entity_cues import NO_VECTORS
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import EmbeddedMemory, Memory, Message
from secondhop.stores.sqlite import in_memory
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.memory_index import MemoryIndex

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def with_cues(
    given: EmbeddedMemory,
    make: SimpleNamespace,
    *cues: str,
    broad: tuple[str, ...] = (),
    replaces: tuple[str, ...] = (),
) -> EmbeddedMemory:
    """The memory with cues from the host."""
    memory = replace(given.memory, cues=cues, broad_cues=broad, replaces=replaces)
    texts = [cue.text for cue in cues_given(memory)]
    vectors = make.vectors(*texts) if texts else np.zeros((0, make.dimension), np.float32)
    return replace(given, memory=memory, cue_vectors=vectors)


def annotation_of(
    given: EmbeddedMemory, *cues: str, role: str = "", replaces: tuple[str, ...] = ()
) -> Annotation:
    """A model's annotation of a memory."""
    own = given.memory.memory_id
    return Annotation(
        memory_id=own,
        content_hash=given.memory.content_hash,
        cues=tuple(Cue(memory_id=own, text=text, origin="model", prompt="1") for text in cues),
        role=role,
        replaces=replaces,
        origin="model",
        prompt="1",
        model="m",
        written_at=NOON,
    )


async def test_a_memory_is_found_by_the_cue_it_came_with(
    store: EntityStore, make: SimpleNamespace
) -> None:
    boiler = with_cues(
        make.memory("a", "the boiler hums"), make, "who repairs heating", broad=("run the house",)
    )
    await store.put([boiler, make.memory("b", "a cat")])

    ((hit, other),) = await store.cues.search(make.vectors("who repairs heating"), k=5)

    assert (hit.memory_id, hit.breadth) == ("a", "specific")
    assert hit.score == pytest.approx(1.0, abs=1e-5)
    assert (other.memory_id, other.breadth) == ("a", "broad")
    assert hit.text == "who repairs heating"
    assert (await store.counts()).annotated == 1
    assert await store.cues.unannotated() == ["b"]


async def test_the_cues_of_some_memories_are_compared_alone(
    store: EntityStore, make: SimpleNamespace
) -> None:
    cued = [with_cues(make.memory(one, f"text {one}"), make, f"ask {one}") for one in "abc"]
    await store.put(cued)
    queries = make.vectors("ask b", "ask c")

    everywhere = await store.cues.search(queries, k=9)
    among = await store.cues.compare(queries, ["c", "a", "?"])

    for found, wanted in zip(among, everywhere, strict=True):
        own = [hit for hit in wanted if hit.memory_id != "b"]
        assert [hit.cue_id for hit in found] == [hit.cue_id for hit in own]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in own], abs=1e-5)
    assert await store.cues.compare(queries, []) == [[], []]


async def test_a_model_replaces_its_own_cues_and_nobody_elses(
    store: EntityStore, make: SimpleNamespace
) -> None:
    boiler = with_cues(make.memory("a", "the boiler hums"), make, "from the host")
    await store.put([boiler])
    await store.cues.annotate([annotation_of(boiler, "one", "two")], make.vectors("one", "two"))
    await store.cues.annotate(
        [annotation_of(boiler, "three", role="own boiler")], make.vectors("three")
    )

    assert [cue.text for cue in (await store.cues.of_memories(["a"]))["a"]] == [
        "from the host",
        "three",
    ]
    assert (await store.cards(["a"]))["a"].role == "own boiler"
    ((hit, *_),) = await store.cues.search(make.vectors("one"), k=5)
    assert hit.score < 0.99
    assert (await store.counts()).cues == 2


async def test_a_changed_text_loses_what_a_model_thought_of_the_old_one(
    store: EntityStore, make: SimpleNamespace
) -> None:
    boiler = with_cues(make.memory("a", "the boiler hums"), make, "from the host")
    await store.put([boiler])
    await store.cues.annotate(
        [annotation_of(boiler, "one", replaces=("old",))], make.vectors("one")
    )

    silent = with_cues(make.memory("a", "the boiler is silent"), make, "from the host")
    await store.put([silent])

    assert [cue.text for cue in (await store.cues.of_memories(["a"]))["a"]] == ["from the host"]
    assert [hit.memory_id for hit in (await store.cues.search(make.vectors("one"), k=5))[0]] == [
        "a"
    ]
    assert await store.cues.annotate([annotation_of(boiler, "late")], make.vectors("late")) == 0
    assert (await store.counts()).annotated == 1


async def test_cues_that_a_person_added_or_removed_stay_so_when_the_file_is_read_again(
    store: EntityStore, make: SimpleNamespace
) -> None:
    given = with_cues(make.memory("a", "the boiler hums"), make, "one", "two")
    await store.put([given])
    await store.cues.add([Cue(memory_id="a", text="mine")], make.vectors("mine"))
    await store.cues.remove([Cue(memory_id="a", text="one").cue_id])

    await store.put([given])
    assert [cue.text for cue in (await store.cues.of_memories(["a"]))["a"]] == ["mine", "two"]

    await store.put([with_cues(make.memory("a", "the boiler hums"), make, "one", "three")])
    assert [cue.text for cue in (await store.cues.of_memories(["a"]))["a"]] == ["mine", "three"]


async def test_deleted_memories_leave_no_cue_and_are_replaced_by_nothing(
    store: EntityStore, make: SimpleNamespace
) -> None:
    old, new = make.memory("old", "I rent"), make.memory("new", "I bought a house")
    await store.put([old, with_cues(new, make, "where do I live", replaces=("old",))])
    assert (await store.cards(["old"]))["old"].replaced_by == ("new",)

    await store.delete(["old"])
    await store.delete(["new"])
    assert await store.cues.search(make.vectors("where do I live"), k=1) == [[]]
    assert (await store.counts()).cues == 0


@given(days=st.lists(st.integers(0, 2), min_size=1, max_size=6), data=st.data())
@settings(max_examples=30, deadline=None)
def test_only_a_newer_memory_replaces_an_older_one(days: list[int], data: st.DataObject) -> None:
    ids = [f"m{place}" for place in data.draw(st.permutations(range(len(days))))]
    claims = {
        one: tuple(data.draw(st.lists(st.sampled_from([*ids, "gone"]), unique=True))) for one in ids
    }
    memories = [
        Memory(
            memory_id=one,
            title="",
            source="note",
            created_at=NOON + timedelta(days=day),
            messages=(Message("user", one),),
            replaces=claims[one],
        )
        for one, day in zip(ids, days, strict=True)
    ]
    with in_memory(MIGRATIONS) as catalog:
        store_memories(
            catalog,
            [EmbeddedMemory(memory=one, passages=(), vectors=NO_VECTORS) for one in memories],
        )
        store_given(catalog, memories, at=NOON)
        found = replaced_by(catalog, ids)

    rank = {one: (day, place) for place, (one, day) in enumerate(zip(ids, days, strict=True))}
    newest_first = sorted(ids, key=lambda one: rank[one], reverse=True)
    newer = {
        old: [one for one in newest_first if old in claims[one] and rank[one] > rank[old]]
        for old in ids
    }
    assert found == {old: tuple(names) for old, names in newer.items() if names}


async def test_cues_that_do_not_fit_are_refused_and_nothing_is_stored(
    store: EntityStore, make: SimpleNamespace
) -> None:
    boiler = make.memory("a", "the boiler hums")
    with pytest.raises(UsageError, match="cue vectors of shape"):
        await store.put([replace(boiler, memory=replace(boiler.memory, cues=("one",)))])
    await store.put([boiler])
    with pytest.raises(UsageError, match="unit length"):
        await store.cues.add([Cue(memory_id="a", text="x")], 2 * make.vectors("x"))
    assert (await store.counts()).cues == 0


async def test_while_nothing_is_stored_cues_are_left_out(
    store: EntityStore, make: SimpleNamespace
) -> None:
    gone = make.memory("gone", "a cat")
    assert await store.cues.annotate([annotation_of(gone, "one")], make.vectors("one")) == 0
    await store.cues.add([Cue(memory_id="gone", text="x")], make.vectors("x"))
    await store.cues.prove([Cue(memory_id="gone", text="x", origin="session")], make.vectors("x"))
    assert (await store.counts()).cues == 0


async def test_what_is_about_a_memory_that_is_gone_is_left_out(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory("a", "the boiler hums")])
    gone = make.memory("gone", "a cat")
    assert await store.cues.annotate([annotation_of(gone, "one")], make.vectors("one")) == 0
    await store.cues.add([Cue(memory_id="gone", text="x")], make.vectors("x"))
    assert (await store.counts()).cues == 0


KILLABLE: dict[str, Callable[[EntityStore, SimpleNamespace], Awaitable[Any]]] = {
    "put again": lambda store, make: store.put(
        [with_cues(make.memory("a", "the boiler is silent"), make, "new", "kept")]
    ),
    "annotate": lambda store, make: store.cues.annotate(
        [annotation_of(make.memory("a", "the boiler hums"), "thought")], make.vectors("thought")
    ),
    "add": lambda store, make: store.cues.add(
        [Cue(memory_id="a", text="added")], make.vectors("added")
    ),
    "remove": lambda store, make: store.cues.remove([Cue(memory_id="a", text="kept").cue_id]),
    "delete": lambda store, make: store.delete(["a"]),
}


class KilledError(Exception):
    """The process was killed here."""


def killed_after(
    steps: int, parts: list[tuple[object, list[str]]], patch: pytest.MonkeyPatch
) -> None:
    """Let `steps` steps of these parts happen; the next one raises KilledError."""
    left = [steps]

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def dying(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise KilledError
            return step(*given, **named)

        return dying

    for part, names in parts:
        for name in names:
            patch.setattr(part, name, counted(getattr(part, name)))


@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("work", KILLABLE.values(), ids=KILLABLE)
async def test_killed_at_any_step_cues_are_as_before_or_as_after_and_so_are_their_vectors(
    tmp_path: Path, make: SimpleNamespace, work: Callable[..., Any], steps: int
) -> None:
    identity = Identity(entity="me", embedder_id=make.embedder, dimension=make.dimension)
    index, cue_index = MemoryIndex(), MemoryIndex()

    def another_start() -> EntityStore:
        return EntityStore(
            Catalog(tmp_path / "catalog.db"),
            index,
            identity=identity,
            lock=WriterLock(tmp_path / "writer"),
            cue_index=cue_index,
        )

    first = another_start()
    boiler = with_cues(make.memory("a", "the boiler hums"), make, "old", "kept")
    await first.put([boiler])
    await first.cues.annotate([annotation_of(boiler, "before")], make.vectors("before"))
    before = await first.cues.of_memories(["a"])
    with pytest.MonkeyPatch.context() as patch, suppress(KilledError):
        catalog = vars(first)["_catalog"]
        names = ["intend", "store", "change_cues", "remove", "settle"]
        both = ["upsert", "remove"]
        killed_after(steps, [(catalog, names), (index, both), (cue_index, both)], patch)
        await work(first, make)
    await first.aclose()

    second = another_start()
    await second.open()
    assert await second.cue_vectors.strays() == ([], [])
    assert (await second.counts()).pending == 0
    reached = await second.cues.of_memories(["a"])
    await work(second, make)
    after = await second.cues.of_memories(["a"])
    texts = [{cue.text for cue in found.get("a", ())} for found in (before, reached, after)]
    assert texts[1] in (texts[0], texts[2])
    assert await second.cue_vectors.strays() == ([], [])
    await second.aclose()


async def test_no_question_finds_a_cue_of_another_entity(
    home: StoreDirectory, make: SimpleNamespace
) -> None:
    for entity in ("mara", "ben"):
        store = await home.open_entity(entity, embedder_id=make.embedder, dimension=make.dimension)
        await store.put([with_cues(make.memory("a", "text"), make, f"who is {entity}")])
        await store.aclose()
    mara = await home.open_entity("mara", embedder_id=make.embedder, dimension=make.dimension)
    ((hit,),) = await mara.cues.search(make.vectors("who is ben"), k=9)
    assert hit.text == "who is mara"
    await mara.aclose()


async def test_damaged_cue_vectors_leave_all_else_at_work_until_they_are_mended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asks = tuple(f"leave the house by door {n}" for n in range(8))
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd([replace(note(f"d{n}", f"Door {n}"), cues=asks) for n in range(10)])
    (segment,) = segments(tmp_path, ".cues")
    (tmp_path / "chroma" / segment / "header.bin").write_bytes(b"nonsense")
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        cues = recall.admin.store.cues
        queries = await recall.admin.services.embedder.embed_passages([asks[0]])
        assert "recall works without cues" in caplog.text
        assert await cues.search(queries, k=5) == [[]]
        assert (await recall.arecall("Where is door 3?")).ids()
        with pytest.raises(CorruptStoreError, match="secondhop reindex"):
            await recall.admin.store.cue_vectors.strays()

        shutil.rmtree(tmp_path / "chroma")
        assert (await recall.admin.adoctor(fix=True)).sound

        assert len((await cues.search(queries, k=5))[0]) == 5


def segments(store: Path, ending: str) -> list[str]:
    """Folders with the index files of the collections whose names end in `ending`."""
    sql = (
        "SELECT segments.id FROM segments JOIN collections ON collections.id = collection "
        "WHERE scope = 'VECTOR' AND name LIKE '%' || ?"
    )
    with closing(sqlite3.connect(store / "chroma" / "chroma.sqlite3")) as connection:
        return [segment for (segment,) in connection.execute(sql, (ending,))]


def vote_on(memory_id: str, proved: float, *, question: str = "one") -> Cue:
    """A cue with which a session votes on a memory."""
    return Cue(memory_id=memory_id, text=question, origin="session", written_at=NOON, proved=proved)


async def test_votes_of_sessions_add_up_whoever_casts_them(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([with_cues(make.memory("a", "the boiler hums"), make, "one")])
    votes, vectors = [vote_on("a", 0.5), vote_on("gone", 1)], make.vectors("one", "one")

    await asyncio.gather(*(store.cues.prove(votes, vectors) for _ in range(4)))

    (told,) = await store.cues.proved()
    assert (told.memory_id, told.proved) == ("a", 2)
    ((_, hit),) = await store.cues.search(make.vectors("one"), k=5)
    assert (hit.memory_id, hit.proved, hit.proved_at) == ("a", 2, NOON.isoformat())
    assert await store.cues.standing() == (1.0, True, False, 1)
    await store.cues.prove([vote_on("a", -1.9)], make.vectors("one"))
    assert await store.cues.proved() == [], "what says nothing any more goes"
    assert len((await store.cues.search(make.vectors("one"), k=5))[0]) == 1


async def test_a_cue_of_a_session_makes_no_memory_an_annotated_one(
    store: EntityStore, make: SimpleNamespace
) -> None:
    await store.put([make.memory("a", "the boiler hums")])
    await store.cues.prove([vote_on("a", 1)], make.vectors("one"))

    assert (await store.cards(["a"]))["a"].cues == ()
    assert await store.cues.standing() == (0.0, True, False, 1)
    assert await store.cues.unannotated() == ["a"]
    await store.let_learn(on=False)
    assert await store.cues.standing() == (0.0, False, False, 1)
