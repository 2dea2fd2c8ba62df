"""Sessions of `Recall`, with a real store in a folder."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import forever
from tests.small_world import LIFE, QUESTION, recall_settings
from tests.store_files import stores_below

from secondhop.errors import (
    SessionAbandonedError,
    SessionResolvedError,
    StoreUnavailableError,
    UsageError,
)
from secondhop.memories.records import Preference
from secondhop.nodes.config import Config, RankingSettings
from secondhop.recall import Recall
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.where import Where

pytestmark = pytest.mark.usefixtures("library_of_tests")

FIVE_MINUTES = timedelta(minutes=5)


def found_below(folder: Path, name: str) -> list[Path]:
    """Files with that name below the folder."""
    return list(folder.rglob(name))


async def test_recalls_and_abandoned_sessions_leave_every_store_byte_identical(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.arecall(QUESTION, k=3)
    before = stores_below(tmp_path)
    assert any(name.endswith("catalog.db") for name in before)

    for turn in range(3):
        await recall.arecall(QUESTION, k=3)
        async with recall.sessions.open(QUESTION, k=3) as session:
            shown = session.answer.ids()
            kinds = ("hot", "cold", "spark") if turn % 2 else ("wrong", "warm", "hot")
            await session.vote(dict(zip(shown, kinds, strict=False)))
            await session.vote({session.answer.ids()[0]: "cold"}, go_on=False)

    assert stores_below(tmp_path) == before


async def test_a_store_that_never_says_whether_it_is_empty_holds_no_recall_and_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_says(_: EntityStore) -> bool:
        return await forever()

    limits = recall_settings(deadline_s=0.3)
    clock = asyncio.get_running_loop().time
    async with await Recall.aopen(tmp_path, embedder="hashing", config=limits) as recall:
        await recall.aadd(LIFE)
        monkeypatch.setattr(EntityStore, "is_empty", never_says)
        for asked in (recall.arecall, recall.sessions.astart):
            began = clock()
            async with asyncio.timeout(10):
                with pytest.raises(StoreUnavailableError, match=r"within the limit of 0\.3 s"):
                    await asked(QUESTION)
            assert clock() - began < 1.5


async def test_the_block_s_end_abandons_what_was_not_resolved(recall: Recall) -> None:
    async with recall.sessions.open(QUESTION, k=3) as left:
        pass
    with pytest.raises(SessionAbandonedError):
        await recall.sessions.aget(left.session_id)

    broken = recall.sessions.open(QUESTION)
    with pytest.raises(RuntimeError, match="the caller"):
        async with broken:
            raise RuntimeError("the caller's own mistake")
    with pytest.raises(SessionAbandonedError):
        await recall.sessions.avote(broken.session_id, {"plan": "hot"})

    async with recall.sessions.open(QUESTION) as resolved:
        resolution = await resolved.resolve(["plan"], note="enough")
    assert resolution.session.accepted == ["plan"]
    with pytest.raises(SessionResolvedError):
        await recall.sessions.aget(resolved.session_id)


@pytest.mark.slow
async def test_a_misspelled_option_is_refused(recall: Recall) -> None:
    options: Any = {"earler": ["Where is my bike?"]}
    with pytest.raises(UsageError, match="no option 'earler'; its options: k, max_rounds"):
        await recall.sessions.astart(QUESTION, **options)


async def test_another_process_goes_on_with_a_session(recall: Recall, tmp_path: Path) -> None:
    begun = await recall.sessions.astart(QUESTION, k=3)
    helped = begun.ids()[1]

    told = await asyncio.to_thread(
        voted_by_another_process, tmp_path / "store", begun.session_id, {helped: "hot"}
    )

    assert told["process"] != os.getpid()
    assert told["found"] == begun.ids()
    assert (told["round"], told["kept"]) == (2, [helped])
    assert told["steps"][0] == "take_votes"
    assert told["steps"][-1] == "pick_round"
    here = await recall.sessions.aget(begun.session_id)
    assert (here.round, here.ids(), here.kept) == (2, told["shown"], [helped])
    resolution = await recall.sessions.aresolve(begun.session_id)
    assert resolution.session.accepted == [helped]


def voted_by_another_process(store: Path, session_id: str, votes: dict[str, str]) -> dict[str, Any]:
    """What another process saw of a session and of the answer to its votes."""
    program = Path(__file__).with_name("vote_elsewhere.py")
    words = [sys.executable, str(program), str(store), session_id, json.dumps(votes)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


async def test_an_answer_gives_five_memories_four_rounds_and_five_minutes(tmp_path: Path) -> None:
    settings = Config(ranking=RankingSettings(min_score=0.01))
    async with await Recall.aopen(tmp_path, embedder="hashing", config=settings) as recall:
        await recall.aadd(LIFE)
        before = datetime.now(UTC)
        answer = await recall.sessions.astart(QUESTION)
        after = datetime.now(UTC)

    assert len(answer.memories) == 5 < len(LIFE)
    assert answer.rounds_left == 3
    assert before + FIVE_MINUTES <= answer.expires_at <= after + FIVE_MINUTES


async def test_a_session_is_asked_as_a_recall_is_and_stays_so_over_its_rounds(
    recall: Recall,
) -> None:
    """Filter, moment and `include_stale` work as in `arecall`, also in later rounds."""
    first, second, third = LIFE[:3]
    await recall.memories.asupersede(first.memory_id, second.memory_id)
    only = Where(ids=[first.memory_id, third.memory_id])
    asked = await recall.arecall(QUESTION, k=5, where=only, include_stale=True, effort="none")

    begun = await recall.sessions.astart(
        QUESTION, k=5, where=only, include_stale=True, effort="none"
    )
    after = await recall.sessions.avote(begun.session_id, {first.memory_id: "hot"})

    assert set(begun.ids()) == {one.id for one in asked.memories}
    assert set(after.ids()) == {first.memory_id, third.memory_id}
    long_ago = min(one.created_at for one in LIFE) - timedelta(days=1)
    before_all = await recall.sessions.astart(QUESTION, as_of=long_ago)
    assert before_all.ids() == []
    with pytest.raises(UsageError, match="needs a language model"):
        await recall.sessions.astart(QUESTION, effort="low")


async def test_preferences_that_count_stand_beside_every_answer_and_take_no_slot(
    recall: Recall,
) -> None:
    await recall.memories.aremember(Preference(text="Keep answers short", topic="length"))
    near = await recall.memories.aremember(
        Preference(text="Numbers first", scope="prepare for my Carefeed interview")
    )
    await recall.memories.aremember(Preference(text="Metric units", scope="tomatoes and basil"))

    first = await recall.sessions.astart(QUESTION, k=3)
    second = await recall.sessions.avote(first.session_id, {first.ids()[0]: "hot"})

    for answer in (first, second):
        assert [one.text for one in answer.preferences] == ["Keep answers short", "Numbers first"]
        assert [one.id for one in answer.preferences][1] == near.memory_id
        assert not {one.id for one in answer.preferences} & set(answer.ids())
    assert len(first.ids()) == 3


async def test_resolving_counts_and_teaches_and_leaves_the_catalog_as_it_was(
    recall: Recall, tmp_path: Path
) -> None:
    async with recall.sessions.open(QUESTION, k=3) as session:
        votes = dict(zip(session.answer.ids(), ("hot", "wrong", "warm"), strict=True))
        await session.vote(votes, go_on=False)
        rows, files = catalog_rows(tmp_path), stores_below(tmp_path)
        assert {"memories", "passages", "postings", "keeping", "history"} <= set(rows)
        assert len(rows["memories"]) == len(LIFE)

        resolution = await session.resolve()

    assert resolution.learned.updated == 3
    after = catalog_rows(tmp_path)
    assert {name for name in rows if after[name] != rows[name]} <= {"cues", "meta"}
    now = stores_below(tmp_path)
    changed = {name for name in files | now if files.get(name) != now.get(name)}
    assert {Path(name).name.partition(".")[0] for name in changed} >= {"counters", "catalog"}


def catalog_rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """{table: its rows in their own order} of the only catalog."""
    (path,) = found_below(folder, "catalog.db")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
        tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = [name for (name,) in tables]
        return {name: list(file.execute(f'SELECT * FROM "{name}"')) for name in names}


async def test_the_trace_of_a_round_names_its_passages_and_near_misses(recall: Recall) -> None:
    async with recall.sessions.open(QUESTION, k=2) as session:
        answer = await session.vote({session.answer.ids()[0]: "hot"})
        kept = recall.trace(answer.trace_id)

        shown = {one.id: [own.passage_id for own in one.evidence] for one in answer.memories}
        assert {one: kept.evidence[one] for one in shown} == shown
        assert kept.near_misses
        assert not {one.memory_id for one in kept.near_misses} & {*kept.returned}
