"""Host cues through a memory's life: stored, exported, re-embedded, repaired, forgotten."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fakes import note

from secondhop.errors import StoreError, UsageError
from secondhop.memories.reindex import reindex_entity
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall
from secondhop.stores.cues import Annotation, Cue
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.records import Memory
from secondhop.stores.store_directory import StoreDirectory

pytestmark = pytest.mark.usefixtures("library_of_tests")

ALLERGY: Memory = replace(
    note("allergy", "Ana swells up after walnuts", day=2),
    cues=("what may I bake for Ana", "order lunch for all of us"),
    broad_cues=("plan a dinner",),
    role="health limit",
)
MOVED: Memory = replace(note("moved", "Ana lives in Trier now", day=3), replaces=("town",))
TOWN = note("town", "Ana lives in Bonn", day=1)


async def opened(folder: Path) -> Recall:
    return await Recall.aopen(folder, entity="mara", embedder="hashing")


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await opened(tmp_path / "store") as recall:
        await recall.memories.aadd([TOWN, ALLERGY, MOVED])
        vectors = await recall.admin.services.embedder.embed_passages(
            ["who drives to Trier", "my own"]
        )
        await recall.admin.store.cues.annotate([thought_of(MOVED)], vectors[:1])
        await recall.admin.store.cues.add([Cue(memory_id="moved", text="my own")], vectors[1:])
        yield recall


def thought_of(memory: Memory) -> Annotation:
    """A model's annotation of a memory."""
    cue = Cue(
        memory_id=memory.memory_id,
        text="who drives to Trier",
        origin="model",
        prompt="1",
        model="m",
        written_at=memory.created_at,
    )
    return Annotation(
        memory_id=memory.memory_id,
        content_hash=memory.content_hash,
        cues=(cue,),
        role="address",
        origin="model",
        prompt="1",
        model="m",
        written_at=memory.created_at,
    )


async def found_by(recall: Recall, question: str) -> str:
    """The id of the memory with a cue that equals the question; "" if there is none."""
    vectors = await recall.admin.services.embedder.embed_passages([question])
    ((hit, *_),) = await recall.admin.store.cues.search(vectors, k=3)
    return hit.memory_id if hit.score > 0.99 else ""


async def texts_of(recall: Recall, memory_id: str) -> list[str]:
    return sorted(cue.text for cue in await recall.memories.cues.alist(memory_id))


async def test_a_correction_is_found_by_the_cues_of_what_it_supersedes(recall: Recall) -> None:
    await recall.memories.aupdate("allergy", "She eats nuts again", new_id="healed")

    assert await texts_of(recall, "healed") == await texts_of(recall, "allergy")
    answer = await recall.arecall("order lunch for all of us", effort="none")
    assert answer.memories[0].id == "healed"

    await recall.memories.asupersede("moved", "healed")
    assert await texts_of(recall, "healed") == await texts_of(recall, "allergy"), "it has its own"
    await recall.memories.asupersede("healed", "town")
    assert await texts_of(recall, "town") == await texts_of(recall, "allergy")


async def test_copies_are_bounded_and_a_repeated_call_makes_those_that_are_missing(
    recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [
        replace(note(f"n{one}", f"note {one}", day=4), cues=(f"ask {one}", f"seek {one}"))
        for one in range(5)
    ]
    await recall.memories.aadd(many)
    lost = recall.admin.store.cues.add

    async def add(*_: object) -> None:
        raise StoreError("the disk is full")

    ids = [one.memory_id for one in many]
    monkeypatch.setattr(recall.admin.store.cues, "add", add)
    with pytest.raises(StoreError):
        await recall.memories.aremember("all of it", memory_id="sum", supersedes=ids)
    assert await texts_of(recall, "sum") == []

    monkeypatch.setattr(recall.admin.store.cues, "add", lost)
    again = await recall.memories.aremember("all of it", memory_id="sum", supersedes=ids)
    assert (again.done, again.notice) == ("unchanged", "")
    assert await texts_of(recall, "sum") == [
        f"{verb} {n}" for verb in ("ask", "seek") for n in range(3)
    ]


async def test_an_export_carries_everything_that_was_thought_of_a_memory(
    recall: Recall, tmp_path: Path
) -> None:
    first = [line async for line in recall.admin.aexport()]
    async with await opened(tmp_path / "copy") as copy:
        await copy.admin.aimport(first)
        await copy.admin.aimport(first)
        assert [line async for line in copy.admin.aexport()] == first
        assert await found_by(copy, "who drives to Trier") == "moved"
        assert (await copy.admin.store.cards(["town"]))["town"].replaced_by == ("moved",)
        assert await copy.admin.store.cues.unannotated() == ["town"]
        await copy.memories.aadd([ALLERGY])
        assert [line async for line in copy.admin.aexport()] == first


async def test_another_embedding_of_the_memory_embeds_its_cues_too(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aclose()
    async with aclosing(StoreDirectory(tmp_path / "store")) as home:
        await reindex_entity(home, "mara", embedder=HashingEmbedder(dimension=64))
        store = await home.open_entity("mara", embedder_id="hashing-v1-64", dimension=64)
        async with aclosing(store):
            assert await store.cue_vectors.strays() == ([], [])
            assert (await store.counts()).cues == 5


async def test_the_doctor_counts_and_mends_vectors_of_cues(recall: Recall) -> None:
    assert (await recall.admin.adoctor()).findings == []
    index = cast(VectorIndex, vars(recall.admin.store.cues)["_index"])
    (cue, *_) = (await recall.admin.store.cues.of_memories(["allergy"]))["allergy"]
    vector = await recall.admin.services.embedder.embed_passages(["ghost"])
    await index.remove([cue.cue_id])
    await index.upsert(["ghost:1"], vector)

    found = await recall.admin.adoctor()
    mended = await recall.admin.adoctor(fix=True)

    told = [(one.check, one.count, one.weight) for one in found.findings]
    assert told == [("cues", 1, "damage"), ("cues", 1, "leftover")]
    assert all(one.fixed for one in mended.findings)
    assert (await recall.admin.adoctor()).findings == []
    assert await found_by(recall, cue.text) == "allergy"


async def test_superseding_keeps_cues_and_forgetting_takes_them(recall: Recall) -> None:
    await recall.memories.asupersede("town", "moved")
    await recall.memories.asupersede("allergy", "moved")
    assert await found_by(recall, "plan a dinner") == "allergy"

    await recall.memories.aforget("moved")
    assert (await recall.admin.store.cards(["town"]))["town"].replaced_by == ()
    assert await recall.admin.store.cues.of_memories(["moved"]) == {}
    assert await found_by(recall, "who drives to Trier") == ""


async def test_cues_that_are_set_stay_when_the_same_file_is_read_again(
    recall: Recall, tmp_path: Path
) -> None:
    cues = recall.memories.cues
    given: dict[str, Any] = {"cues": ["a gift for Ana"], "role": "no nuts", "replaces": ["town"]}

    assert [await cues.aset("allergy", **given), await cues.aset("allergy", **given)] == [
        True,
        False,
    ]
    assert await cues.aset("town", broad=["move house"])
    await recall.memories.aadd([TOWN, ALLERGY, MOVED])

    shown = await cues.ashow("allergy")
    assert (shown.role, shown.replaces) == ("no nuts", ["town"])
    assert await texts_of(recall, "allergy") == ["a gift for Ana", "plan a dinner"]
    assert await found_by(recall, "a gift for Ana") == "allergy"
    assert await texts_of(recall, "town") == ["move house"]
    assert await recall.admin.store.cues.unannotated() == []
    assert (await recall.admin.adoctor()).findings == []

    lines = [line async for line in recall.admin.aexport()]
    async with await opened(tmp_path / "copy") as copy:
        await copy.admin.aimport(lines)
        assert [line async for line in copy.admin.aexport()] == lines

    assert await cues.aset("allergy", cues=[], broad=[], role="", replaces=[])
    assert not (await cues.ashow("allergy")).cues
    assert (await recall.admin.store.cards(["allergy"]))["allergy"].role == ""


async def test_cues_that_are_set_stay_when_the_text_changes(recall: Recall) -> None:
    await recall.memories.cues.aset("town", cues=["a card for Ana"], role="address")
    await recall.memories.aadd([note("town", "Ana lives in Bonn, near the river", day=1)])

    assert await texts_of(recall, "town") == ["a card for Ana"]
    assert (await recall.memories.cues.ashow("town")).annotated


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cues": ["x" * 201]}, "'allergy' stay as they are: a cue: it has 201 characters"),
        ({"broad": list("abcd")}, "at most 3 broad cues"),
        ({"role": "x" * 81}, "role"),
        ({"cues": "plan a dinner"}, "tuple or list"),
    ],
)
async def test_cues_that_cannot_be_set_are_refused_and_those_before_stay(
    recall: Recall, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        await recall.memories.cues.aset("allergy", **given)
    assert len(await texts_of(recall, "allergy")) == 3


async def test_a_session_that_goes_on_elsewhere_gives_the_same_reasons(
    recall: Recall, tmp_path: Path
) -> None:
    answer = await recall.sessions.astart("what may I bake for Ana")

    async with await opened(tmp_path / "store") as elsewhere:
        again = await elsewhere.sessions.aget(answer.session_id)

    reasons = {memory.id: memory.why for memory in answer.memories}
    assert reasons["allergy"] == "Stored for “what may I bake for Ana”."
    assert {memory.id: memory.why for memory in again.memories} == reasons
