"""What was shown lately, across processes: kept by `accept` and `resolve`, never by a read."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.garden import FIRST, GARDEN, NEAR
from tests.small_world import recall_settings

from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

VARIED = recall_settings(ranking={"freshness": 1.0})


async def opened(folder: Path, *, varied: bool = True) -> Recall:
    settings = VARIED if varied else None
    return await Recall.aopen(folder, entity="mara", embedder="hashing", config=settings)


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await opened(tmp_path) as recall:
        await recall.aadd(GARDEN)
        yield recall


async def near(folder: Path) -> RecallTrace:
    """What a process that has shown nothing finds for a near question."""
    async with await opened(folder) as elsewhere:
        result = await elsewhere.arecall(NEAR, k=3)
        return elsewhere.trace(result.trace_id)


def files_of(folder: Path, *names: str) -> list[Path]:
    return [path for name in names for path in folder.rglob(name)]


def worn(trace: RecallTrace) -> set[str]:
    return {one.memory_id for one in trace.candidates if "exposure" in one.factors}


async def test_an_accepted_recall_is_known_in_another_process(
    recall: Recall, tmp_path: Path
) -> None:
    result = await recall.arecall(FIRST, k=3)
    before = await near(tmp_path)
    await recall.memories.aaccept(result, dry_run=True)
    dry = await near(tmp_path)
    await recall.memories.aaccept(result)
    after = await near(tmp_path)

    assert worn(before) == worn(dry) == set()
    assert set(before.returned) & set(result.ids())
    assert worn(after) == set(result.ids())
    assert not set(after.returned) & set(result.ids())


async def test_an_accepted_question_meets_in_another_process_what_it_met_here(
    recall: Recall, tmp_path: Path
) -> None:
    for question in (FIRST, NEAR):
        await recall.memories.aaccept(await recall.arecall(question, k=3))
    here = recall.trace((await recall.arecall(NEAR, k=3)).trace_id)

    there = await near(tmp_path)

    assert worn(here)
    assert there.returned == here.returned
    assert [one.factors for one in there.candidates] == [one.factors for one in here.candidates]


async def test_a_resolved_session_is_known_and_an_abandoned_one_is_not(
    recall: Recall, tmp_path: Path
) -> None:
    begun = await recall.sessions.astart(FIRST, k=3)
    await recall.sessions.aabandon(begun.session_id)
    abandoned = await near(tmp_path)
    begun = await recall.sessions.astart(FIRST, k=3)
    await recall.sessions.aresolve(begun.session_id, accepted=begun.ids()[:1])
    resolved = await near(tmp_path)

    assert worn(abandoned) == set()
    assert worn(resolved) == set(begun.ids())


async def test_without_freshness_nothing_is_kept_and_nothing_heeded(
    recall: Recall, tmp_path: Path
) -> None:
    async with await opened(tmp_path, varied=False) as plain:
        result = await plain.arecall(FIRST, k=3)
        await plain.memories.aaccept(result, result.ids()[:1])
        begun = await plain.sessions.astart(FIRST, k=3)
        await plain.sessions.aresolve(begun.session_id)
        assert worn(await near(tmp_path)) == set()

        await recall.memories.aaccept(await recall.arecall(FIRST, k=3))
        other = await plain.arecall(NEAR, k=3)
        assert worn(plain.trace(other.trace_id)) == set()


async def test_a_recall_writes_nothing_of_it(recall: Recall, tmp_path: Path) -> None:
    await recall.memories.aaccept(await recall.arecall(FIRST, k=3))
    files = files_of(tmp_path, "counters.db", "catalog.db", "catalog.db-wal")
    before = [path.read_bytes() for path in files]

    for question in (NEAR, FIRST, "How are they watered?"):
        await recall.arecall(question, k=3)

    assert [path.read_bytes() for path in files] == before
    assert any(path.name == "counters.db" for path in files)


async def test_no_word_of_a_question_is_kept_and_a_forgotten_memory_is_gone_from_it(
    recall: Recall, tmp_path: Path
) -> None:
    begun = await recall.sessions.astart(FIRST, k=3)
    await recall.sessions.aresolve(begun.session_id)
    gone, *left = begun.ids()
    await recall.memories.aforget(gone)

    (counters,) = files_of(tmp_path, "counters.db")
    written = counters.read_bytes()
    assert not any(word.encode() in written for word in (FIRST, FIRST.casefold(), "garden", gone))
    assert worn(await near(tmp_path)) == set(left)


async def test_freshness_kept_with_the_entity_does_the_same(recall: Recall, tmp_path: Path) -> None:
    async with await opened(tmp_path, varied=False) as plain:
        await plain.admin.akeep_settings({"ranking.freshness": 1})
        result = await plain.arecall(FIRST, k=3)
        await plain.memories.aaccept(result)
    async with await opened(tmp_path, varied=False) as other:
        answer = await other.arecall(NEAR, k=3)
        trace = other.trace(answer.trace_id)

    assert worn(trace) == set(result.ids())
    assert trace.kept_settings == ["ranking.freshness"]
