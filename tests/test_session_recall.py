"""Sessions through the front door: `Recall`, with a real store in a folder."""

import hashlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.small_world import LIFE, QUESTION

from secondhop.errors import (
    SessionAbandonedError,
    SessionResolvedError,
    UnknownEntityError,
    UsageError,
)
from secondhop.nodes.session_settings import SessionSettings
from secondhop.recall import Recall
from secondhop.stores.sessions_memory import MemorySessions

pytestmark = pytest.mark.usefixtures("library_of_tests")

OF_THEIR_OWN = ("embeddings.db", "hubs.db", "sessions.db")
"""Files that caches and sessions may write, and traces, which are a folder."""


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as opened:
        await opened.aadd(LIFE)
        yield opened


def stores_below(folder: Path) -> dict[str, str]:
    """Content hash of every file that is not a cache, a trace or a session."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.startswith(OF_THEIR_OWN)
        and path.parent.name != "traces"
        and not path.name.endswith("-shm")  # SQLite's notes on who reads
    }


def found_below(folder: Path, name: str) -> list[Path]:
    """Files of that name."""
    return list(folder.rglob(name))


async def test_recalls_and_abandoned_sessions_leave_every_store_byte_identical(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.arecall(QUESTION, k=3)
    before = stores_below(tmp_path)
    assert any(name.endswith("catalog.db") for name in before)

    for turn in range(3):
        await recall.arecall(QUESTION, k=3)
        async with recall.session(QUESTION, k=3) as session:
            shown = session.answer.ids()
            kinds = ("hot", "cold", "spark") if turn % 2 else ("wrong", "warm", "hot")
            await session.vote(dict(zip(shown, kinds, strict=False)))
            await session.vote({session.answer.ids()[0]: "cold"}, go_on=False)

    assert stores_below(tmp_path) == before


async def test_an_ended_session_leaves_no_word_of_it_in_its_file(
    recall: Recall, tmp_path: Path
) -> None:
    async with recall.session(QUESTION) as session:
        await session.vote({"plan": "hot"})
        session_id = session.session_id
    (path,) = found_below(tmp_path, "sessions.db")
    assert path.parent.name.startswith("mara")

    with closing(sqlite3.connect(path)) as file:
        kept = list(file.execute("SELECT session_id, status, state FROM sessions"))
        assert list(file.execute("SELECT * FROM votes")) == []
    await recall.aclose()

    assert kept == [(session_id, "abandoned", "")]
    assert QUESTION.encode() not in path.read_bytes()


async def test_the_block_s_end_abandons_what_was_not_resolved(recall: Recall) -> None:
    async with recall.session(QUESTION, k=3) as left:
        pass
    with pytest.raises(SessionAbandonedError):
        await recall.aget_session(left.session_id)

    broken = recall.session(QUESTION)
    with pytest.raises(RuntimeError, match="the caller"):
        async with broken:
            raise RuntimeError("the caller's own mistake")
    with pytest.raises(SessionAbandonedError):
        await recall.avote(broken.session_id, {"plan": "hot"})

    async with recall.session(QUESTION) as resolved:
        resolution = await resolved.resolve(["plan"], note="enough")
    assert resolution.session.accepted == ["plan"]
    with pytest.raises(SessionResolvedError):
        await recall.aget_session(resolved.session_id)


async def test_others_may_vote_on_the_same_session_by_its_id(recall: Recall) -> None:
    async with recall.session(QUESTION, k=3) as session:
        await recall.avote(session.session_id, {"plan": "hot"}, by="agent")
        assert session.answer.round == 1

        assert (await session.refresh()).kept == ["plan"]
        assert session.answer.round == 2


async def test_a_session_that_has_not_begun_has_no_answer(recall: Recall) -> None:
    with pytest.raises(UsageError, match="async with"):
        _ = recall.session(QUESTION).answer


async def test_another_process_goes_on_with_a_session(recall: Recall, tmp_path: Path) -> None:
    begun = await recall.astart_session(QUESTION, k=3)
    steps: list[str] = []

    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as other:
        assert (await other.aget_session(begun.session_id)).ids() == begun.ids()
        after = await other.avote(
            begun.session_id, {"plan": "hot"}, progress=lambda event: steps.append(event.node)
        )

    assert after.kept == ["plan"]
    assert steps[0] == "take_votes"
    assert steps[-1] == "pick_round"
    await recall.aresolve(begun.session_id)


async def test_an_entity_without_memories_has_no_sessions(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path / "none", entity="nobody", embedder="hashing") as empty:
        with pytest.raises(UnknownEntityError):
            await empty.astart_session(QUESTION)
    assert not (tmp_path / "none").exists()


def test_every_step_has_a_form_for_callers_without_an_event_loop(tmp_path: Path) -> None:
    settings = SessionSettings(k=2, max_rounds=2, ttl_s=60)
    with Recall.open(
        tmp_path, embedder="hashing", sessions=MemorySessions(), session_settings=settings
    ) as recall:
        recall.add(LIFE)
        answer = recall.start_session(QUESTION)
        noted = recall.vote(answer.session_id, {answer.ids()[0]: "hot"}, go_on=False)
        after = recall.vote(answer.session_id, {})
        found = recall.get_session(answer.session_id)
        resolution = recall.resolve(answer.session_id)
        given_up = recall.start_session(QUESTION)
        recall.abandon(given_up.session_id)

    assert len(answer.ids()) == 2
    assert noted.cast == {"person": {answer.ids()[0]: "hot"}}
    assert (after.round, after.rounds_left) == (2, 0)
    assert found.ids() == after.ids()
    assert resolution.session.accepted == [answer.ids()[0]]
    assert not list(tmp_path.rglob("sessions.db"))


@pytest.mark.parametrize("named", ["postgres://here", "redis", "redis://here:port"])
def test_a_place_for_sessions_that_cannot_be_is_refused(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError, match="redis://HOST:PORT"):
        Recall.open(tmp_path, embedder="hashing", sessions=named)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"max_rounds": 0},
        {"branch_memories": 0},
        {"branches": -1},
        {"ttl_s": 0},
        {"later_min_score": 1.5},
        {"lease_s": 0},
        {"ttl_s": float("nan")},
    ],
)
def test_settings_that_make_no_session_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="SessionSettings"):
        SessionSettings(**wrong)  # type: ignore[arg-type]
