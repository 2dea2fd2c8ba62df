"""Memories copied between stores: folder and PostgreSQL, in both directions."""

from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import cast

import pytest

from secondhop import Recall
from secondhop.errors import (
    CorruptStoreError,
    EmbedderMismatchError,
    StoreError,
    UnknownEntityError,
    UsageError,
)
from secondhop.memories.copying import copied
from secondhop.memories.delete_entity import adelete_entity
from secondhop.memories.records import Fact
from secondhop.stores import copying
from secondhop.stores.cues import Cue
from secondhop.stores.protocols import VectorIndex
from secondhop.stores.store_directory import StoreDirectory
from secondhop.testing import HashingEmbedder, note

pytestmark = pytest.mark.usefixtures("library_of_tests")
WHERE = "Where is the key?"
HOOK = replace(note("hook", "The key is on the hook 🪝"), cues=("leave the house",), tags=("home",))

Place = Callable[[str], tuple[str, str | None]]
"""Makes a new, empty place for a store; returns its address and its Chroma server."""

SERVERS = ["postgres", "postgres and a server", "folder and a server"]
WAYS = [
    ("folder", "folder"),
    *(
        pytest.param(*way, marks=pytest.mark.slow)
        for server in SERVERS
        for way in (("folder", server), (server, "folder"))
    ),
]


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    numbers = count()

    def made(kind: str) -> tuple[str, str | None]:
        server = request.getfixturevalue("chroma_server") if "server" in kind else None
        if "postgres" in kind:
            return request.getfixturevalue("postgres").database(), server
        return str(tmp_path / f"store {next(numbers)}"), server

    return made


async def opened(at: tuple[str, str | None], entity: str = "mara") -> Recall:
    return await Recall.aopen(at[0], entity=entity, embedder="hashing", chroma_url=at[1])


async def lived_in(recall: Recall) -> str:
    """Fill a store with all kinds of things; returns the id of a session that waits for votes."""
    half = note("odd", "nul \0, half an emoji \ufffd")
    await recall.aadd([HOOK, note("mat", "The key is under the mat"), half])
    await recall.memories.asupersede("mat", "hook", reason="seen")
    await recall.aadd([note("odd", "another text: bees")])
    await recall.memories.aremember(Fact(subject="me", attribute="job", value="baker"))
    vectors = await recall.admin.services.embedder.embed_passages(["lock up"])
    await recall.admin.store.cues.add([Cue(memory_id="hook", text="lock up")], vectors)
    first = await recall.sessions.astart(WHERE, k=2)
    await recall.sessions.avote(first.session_id, {"hook": "hot"})
    await recall.sessions.aresolve(first.session_id)
    return (await recall.sessions.astart(WHERE, k=2)).session_id


async def told(recall: Recall) -> tuple[object, ...]:
    """What a store keeps, and how it answers."""
    lines = [line async for line in recall.admin.aexport()]
    learned = (await recall.learning.areport()).questions
    answers = [await recall.arecall(asked, k=3) for asked in (WHERE, "bees", "leave the house")]
    slots = [[(one.id, round(one.score, 5)) for one in answer.memories] for answer in answers]
    return lines, learned, slots


@pytest.mark.parametrize(("source", "target"), WAYS)
async def test_a_copy_is_the_same_store(place: Place, source: str, target: str) -> None:
    here, there = place(source), place(target)
    async with await opened(here) as recall:
        session_id = await lived_in(recall)
        trace_id = (await recall.arecall(WHERE)).trace_id

        (copied,) = (await recall.admin.acopy(there[0], chroma_url=there[1])).entities

        before = await told(recall)
    assert (copied.memories, copied.vectors, copied.was_there) == (4, 7, False)
    async with await opened(there) as copy:
        assert copy.trace(trace_id).question == WHERE
        assert await told(copy) == before
        voted = await copy.sessions.avote(session_id, {"hook": "hot"})
        assert (voted.round, voted.kept) == (2, ["hook"])
        assert (await copy.admin.adoctor()).sound
        await copy.aadd([note("new", "The ladder is in the shed")])
        assert (await copy.arecall("Where is the ladder?")).ids()[0] == "new"
        assert (await copy.memories.aforget("hook")).complete


async def test_a_recall_copies_its_own_entity_alone_unless_told_otherwise(place: Place) -> None:
    here = place("folder")
    for entity in ("ana", "mara"):
        async with await opened(here, entity) as recall:
            await recall.aadd([HOOK])
    async with await opened(here) as recall:
        for named, there in ((None, ["mara"]), ("ana", ["ana"]), ("*", ["ana", "mara"])):
            target = place("folder")[0]
            done = await recall.admin.acopy(target, entities=named)
            assert [one.entity for one in done.entities] == there
            assert StoreDirectory(target).entities() == there


class KilledError(Exception):
    """The process was killed."""


@pytest.mark.parametrize(("source", "target"), WAYS[:3])
@pytest.mark.parametrize(("step", "times"), [("copy_vectors", 4), ("copy_table", 22)])
async def test_a_copy_that_was_killed_is_made_by_the_next_one(
    place: Place, source: str, target: str, step: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = place(source), place(target)
    for entity in ("ana", "mara"):
        async with await opened(here, entity) as recall:
            await lived_in(recall)
    work, left = getattr(copying, step), iter(range(times - 1, -1, -1))

    def mortal(*given: object) -> object:
        if not next(left):
            raise KilledError
        return work(*given)

    monkeypatch.setattr(copying, step, mortal)
    async with AsyncExitStack() as closes:
        home = await closes.enter_async_context(aclosing(StoreDirectory(here[0])))
        to = await closes.enter_async_context(aclosing(StoreDirectory(there[0])))
        with pytest.raises(KilledError):
            await copied(home, there[0])
        monkeypatch.undo()
        assert to.entities() == ["ana"]

        done = (await copied(home, there[0])).entities

        assert [(one.entity, one.was_there) for one in done] == [("ana", True), ("mara", False)]
        assert to.entities() == ["ana", "mara"]
    async with await opened(there) as copy:
        assert (await copy.admin.adoctor()).sound


async def test_what_would_be_overwritten_or_does_not_fit_is_refused(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_LOCK_TIMEOUT_S", 1.0)
    monkeypatch.chdir(tmp_path)
    here, there, other = (place("folder") for _ in range(3))
    for at in (here, there):
        async with await opened(at) as recall:
            await recall.aadd([note("key", f"The key is in {at[0]}")])
    async with await Recall.aopen(other[0], entity="ana", embedder=HashingEmbedder(64)) as recall:
        await recall.aadd([HOOK])
    async with await opened(here) as recall:
        with pytest.raises(StoreError, match="already has a different memory of entity 'mara'"):
            await recall.admin.acopy(there[0])
        with pytest.raises(EmbedderMismatchError):
            await recall.admin.acopy(other[0])
        link = tmp_path / "link"
        link.symlink_to(here[0])
        for same in (here[0], Path(here[0]).name, link):
            with pytest.raises(UsageError, match="into itself"):
                await recall.admin.acopy(same)
        with pytest.raises(UnknownEntityError, match="zoe"):
            await recall.admin.acopy(place("folder")[0], entities=["mara", "zoe"])
        with pytest.raises(UsageError, match="no entity to copy is named"):
            await recall.admin.acopy(place("folder")[0], entities=[])
    async with aclosing(StoreDirectory(place("folder")[0])) as misspelt:
        with pytest.raises(StoreError, match="nothing is stored in"):
            await copied(misspelt, place("folder")[0])


async def test_a_store_that_lacks_vectors_is_not_copied(place: Place) -> None:
    here, there = place("folder"), place("folder")
    async with await opened(here) as recall:
        await recall.aadd([HOOK, note("mat", "The key is under the mat")])
        index = cast(VectorIndex, vars(recall.admin.store)["_index"])
        await index.remove([(await recall.admin.store.passage_ids(["mat"]))["mat"][0]])
        with pytest.raises(CorruptStoreError, match="doctor --fix"):
            await recall.admin.acopy(there[0])
    assert StoreDirectory(there[0]).entities() == []


@pytest.mark.slow
async def test_a_copy_on_the_same_chroma_server_has_vectors_of_its_own(place: Place) -> None:
    here, there = place("folder and a server"), place("folder and a server")
    async with await opened(here) as recall:
        await recall.aadd([HOOK])
        await recall.admin.acopy(there[0], chroma_url=there[1])
        await adelete_entity(there[0], "mara", chroma_url=there[1])
        assert (await recall.arecall(WHERE)).ids() == ["hook"]
