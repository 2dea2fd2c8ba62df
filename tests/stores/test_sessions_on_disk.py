"""What a session knew is in no file once the session is over, while the store stays open."""

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from secondhop.stores.alarm import Alarm
from secondhop.stores.sessions import RoundBallot, SessionStatus
from secondhop.stores.sessions_sqlite import SqliteSessions

WORDS = "who told the notary"
STATE = f"{WORDS} {'of the orchard ' * 6_000} {WORDS}"
"""Long enough for pages of its own, as the state of a session is."""
VOTED = "memory-that-was-voted-on"
OWNER = "digest-of-mara"
LONG_S, SHORT_S = 60.0, 0.05


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "entity"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteSessions]:
    async with aclosing(SqliteSessions(folder / "sessions.db")) as opened:
        yield opened


def knowing(folder: Path, words: str = WORDS) -> set[str]:
    """Names of the files that hold the words."""
    return {path.name for path in folder.iterdir() if words.encode() in path.read_bytes()}


async def begun(store: SqliteSessions, session_id: str = "s", *, ttl_s: float = LONG_S) -> None:
    assert await store.create(session_id, owner=OWNER, state=STATE, ttl_s=ttl_s)
    ballot = RoundBallot(round=1, by="person", votes={VOTED: "hot"}, closes=False)
    assert (await store.record(session_id, ballot, ttl_s=ttl_s)).done


async def none_knows(folder: Path) -> bool:
    """Whether the words leave the files within some seconds."""
    for _ in range(100):
        if not knowing(folder):
            return True
        await asyncio.sleep(SHORT_S)
    return False


@pytest.mark.parametrize("status", ["resolved", "abandoned"])
async def test_an_ended_session_leaves_no_word_in_any_file(
    store: SqliteSessions, folder: Path, status: SessionStatus
) -> None:
    await begun(store)
    assert "sessions.db-wal" in knowing(folder)
    assert "sessions.db-wal" in knowing(folder, VOTED)

    assert (await store.end("s", round_number=1, status=status)).done

    assert (folder / "sessions.db-wal").exists()  # the store is open
    assert knowing(folder) == set()
    assert knowing(folder, VOTED) == set()


async def test_words_that_went_into_the_file_before_are_overwritten_there(
    store: SqliteSessions, folder: Path
) -> None:
    await begun(store)
    await store.create("other", owner=OWNER, state="short", ttl_s=LONG_S)
    await store.end("other", round_number=1, status="abandoned")  # empties the log into the file
    assert knowing(folder) == {"sessions.db"}

    await store.end("s", round_number=1, status="resolved")

    assert knowing(folder) == set()


async def test_a_session_that_expires_while_nobody_looks_leaves_no_word(
    store: SqliteSessions, folder: Path
) -> None:
    await begun(store, "later", ttl_s=6 * SHORT_S)
    await begun(store, "sooner", ttl_s=SHORT_S)
    assert knowing(folder)

    assert await none_knows(folder)


async def test_an_open_session_outlives_the_end_of_another(
    store: SqliteSessions, folder: Path
) -> None:
    await begun(store, "open")
    await begun(store, "expiring", ttl_s=SHORT_S)
    await begun(store, "ended")

    await store.end("ended", round_number=1, status="resolved")
    await asyncio.sleep(4 * SHORT_S)

    found = await store.load("open")
    assert found is not None
    assert (found.state, found.votes) == (STATE, {"person": {VOTED: "hot"}})


async def test_a_session_ends_while_another_program_reads_and_is_wiped_when_that_is_done(
    store: SqliteSessions, folder: Path, tmp_path: Path
) -> None:
    await begun(store)
    with closing(sqlite3.connect(folder / "sessions.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sessions").fetchall()

        assert (await store.end("s", round_number=1, status="resolved")).done

        left = shutil.copytree(folder, tmp_path / "left")  # as if the process died here
    for place, anybody in ((folder, store), (left, SqliteSessions(left / "sessions.db"))):
        assert knowing(place)
        await anybody.create("next", owner=OWNER, state="", ttl_s=LONG_S)
        assert knowing(place) == set()
    await anybody.aclose()


async def test_what_expired_while_no_process_ran_goes_with_the_next_write(
    store: SqliteSessions, folder: Path, tmp_path: Path
) -> None:
    await begun(store, ttl_s=SHORT_S)
    left = shutil.copytree(folder, tmp_path / "left")
    assert knowing(left)
    await asyncio.sleep(2 * SHORT_S)

    async with aclosing(SqliteSessions(left / "sessions.db")) as after:
        await after.create("next", owner=OWNER, state="", ttl_s=LONG_S)

        assert knowing(left) == set()


def test_an_alarm_rings_once_at_the_earliest_moment_it_was_set_to() -> None:
    rung: list[int] = []
    heard = threading.Event()

    def ring() -> None:
        rung.append(1)
        heard.set()

    alarm = Alarm(ring)
    alarm.set(LONG_S)
    alarm.set(SHORT_S)
    alarm.set(LONG_S)

    assert heard.wait(LONG_S / 4)
    alarm.set(SHORT_S)
    alarm.close()
    alarm.set(0.0)
    threading.Event().wait(3 * SHORT_S)
    assert len(rung) == 1
