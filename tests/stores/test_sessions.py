"""What every session store must do."""

import asyncio
import os
import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis
from tests.redis_server import redis_url as redis_url

from secondhop.errors import StoreUnavailableError
from secondhop.stores.postgres.database import PostgresDatabase
from secondhop.stores.postgres.server import PostgresServer
from secondhop.stores.sessions import GRACE_S, SessionStatus, SessionStore, StoredSession
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.sessions_redis import RedisSessions

LONG_S = 60.0
SHORT_S = 0.05
OWNER = "digest-of-mara"
WORDS = b"who told the notary"
STATUSES: list[SessionStatus] = ["resolved", "abandoned"]


SERVERS = [pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "redis")]


@pytest.fixture(params=["sqlite", *SERVERS])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    made: SessionStore
    if request.param == "sqlite":
        made = DatabaseSessions(tmp_path / "entity" / "sessions.db")
    elif request.param == "postgres":
        with closing(PostgresServer(request.getfixturevalue("postgres").database())) as server:
            async with aclosing(
                DatabaseSessions(PostgresDatabase(server, "me", part="sessions"))
            ) as made:
                yield made
        return
    else:
        url = request.getfixturevalue("redis_url")
        made = RedisSessions(url, prefix=f"test:{tmp_path.name}")
    async with aclosing(made):
        yield made


def new(session_id: str = "s", *, owner: str = OWNER, ttl_s: float = LONG_S) -> StoredSession:
    return StoredSession(
        session_id=session_id, owner=owner, version=1, document=b"first", expires_in_s=ttl_s
    )


def after(session: StoredSession, document: bytes = b"next") -> StoredSession:
    return replace(session, version=session.version + 1, document=document)


def ended(session: StoredSession, status: SessionStatus = "resolved") -> StoredSession:
    return replace(session, version=session.version + 1, status=status, document=b"")


async def loaded(store: SessionStore, session_id: str = "s") -> StoredSession:
    found = await store.load(session_id, owner=OWNER)
    assert found is not None
    return found


async def test_a_session_comes_back_as_it_was_saved(store: SessionStore) -> None:
    odd = replace(new(), document=bytes(range(256)) * 4_000)
    assert await store.save(odd)

    found = await loaded(store)

    assert replace(found, expires_in_s=LONG_S) == odd
    assert LONG_S - 5 < found.expires_in_s <= LONG_S


async def test_of_an_unknown_session_nothing_is_known(store: SessionStore) -> None:
    assert await store.load("s", owner=OWNER) is None
    assert not await store.save(after(new()))
    assert await store.open_ids(owner=OWNER) == []
    assert await store.save(new("another"))
    assert await store.load("s", owner=OWNER) is None


async def test_a_session_is_its_owners_alone(store: SessionStore) -> None:
    await store.save(new())

    assert await store.load("s", owner="thief") is None
    assert await store.open_ids(owner="thief") == []
    assert not await store.save(after(new(owner="thief")))
    assert (await loaded(store)).document == b"first"


async def test_an_id_is_given_once(store: SessionStore) -> None:
    await store.save(new())

    assert not await store.save(replace(new(), document=b"stolen"))
    assert (await loaded(store)).document == b"first"


async def test_of_many_who_write_at_once_one_does(store: SessionStore) -> None:
    await store.save(new())
    documents = [f"next {n}".encode() for n in range(20)]

    done = await asyncio.gather(*(store.save(after(new(), one)) for one in documents))

    assert done.count(True) == 1
    found = await loaded(store)
    assert (found.version, found.document) == (2, documents[done.index(True)])


async def test_a_write_that_follows_no_stored_version_changes_nothing(store: SessionStore) -> None:
    await store.save(new())
    await store.save(after(new()))

    assert not await store.save(after(new(), b"late"))
    assert not await store.save(replace(new(), version=4, document=b"early"))
    assert (await loaded(store)).document == b"next"


@pytest.mark.parametrize("status", STATUSES)
async def test_of_what_has_ended_only_the_status_is_left(
    store: SessionStore, status: SessionStatus
) -> None:
    await store.save(new())
    assert await store.save(ended(new(), status))

    found = await loaded(store)

    assert (found.status, found.document, found.expires_in_s) == (status, b"", 0.0)
    assert not await store.save(after(found))
    assert not await store.save(new())
    assert await store.open_ids(owner=OWNER) == []


async def test_a_session_expires_and_a_vote_that_came_in_time_is_still_written(
    store: SessionStore,
) -> None:
    await store.save(new(ttl_s=SHORT_S))

    await asyncio.sleep(2 * SHORT_S)

    found = await loaded(store)
    assert (found.status, found.document, found.expires_in_s) == ("expired", b"", 0.0)
    assert await store.save(after(new()))
    assert (await loaded(store)).status == "open"


async def test_open_sessions_of_an_owner_are_listed(store: SessionStore) -> None:
    await store.save(new("one"))
    await store.save(new("two"))
    await store.save(new("theirs", owner="digest-of-noor"))
    await store.save(ended(new("one")))

    assert await store.open_ids(owner=OWNER) == ["two"]


# --- what is left in files ---


def knowing(folder: Path, words: bytes = WORDS) -> set[str]:
    """Names of the files that contain these words."""
    return {
        path.name for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()
    }


@pytest.mark.parametrize("status", STATUSES)
async def test_an_ended_session_leaves_no_word_in_any_file(
    tmp_path: Path, status: SessionStatus
) -> None:
    async with aclosing(DatabaseSessions(tmp_path / "sessions.db")) as store:
        long = WORDS + b" of the orchard" * 6_000 + WORDS
        told = replace(new(), document=long)
        await store.save(told)
        await store.save(after(told, long + b"!"))
        assert knowing(tmp_path) == {"sessions.db"}

        await store.save(ended(after(told), status))

        assert knowing(tmp_path) == set()


async def test_what_has_expired_is_overwritten_at_the_next_write_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def clock(_: object) -> float:
        return now

    async with aclosing(DatabaseSessions(tmp_path / "sessions.db")) as store:
        monkeypatch.setattr(store.database, "now", clock)
        for turn in range(2):
            await store.save(replace(new(f"{turn}"), document=WORDS))
            now += LONG_S + GRACE_S
            assert knowing(tmp_path)
            if not turn:
                await store.save(new("other"))
                assert knowing(tmp_path) == set()
    assert knowing(tmp_path) == set()


async def test_a_file_of_version_0_1_is_taken_over_and_holds_no_word_of_its_sessions(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("CREATE TABLE sessions (session_id TEXT, state TEXT)")
        file.execute("CREATE TABLE votes (session_id TEXT, vote TEXT)")
        file.execute("INSERT INTO sessions VALUES ('s', ?)", (WORDS.decode(),))
        file.commit()
    async with aclosing(DatabaseSessions(path)) as store:
        assert await store.load("s", owner=OWNER) is None
        assert await store.open_ids(owner=OWNER) == []

        await store.save(new())

        assert (await loaded(store)).document == b"first"
        assert knowing(tmp_path) == set()


async def test_looking_for_sessions_makes_no_file(tmp_path: Path) -> None:
    async with aclosing(DatabaseSessions(tmp_path / "sessions.db")) as store:
        assert await store.open_ids(owner=OWNER) == []
        assert await store.load("s", owner=OWNER) is None
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
async def test_connections_that_a_restart_has_closed_are_made_anew(redis_url: str) -> None:
    async with aclosing(RedisSessions(redis_url, prefix="restarted")) as store:
        names = [f"{n}" for n in range(12)]
        await asyncio.gather(*(store.save(new(name)) for name in names))
        with Redis.from_url(redis_url) as server:
            server.client_kill_filter(_type="normal", skipme=True)

        done = await asyncio.gather(*(store.save(after(new(name))) for name in names))

        assert all(done)


async def test_a_server_that_is_gone_is_an_error_of_ours() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with aclosing(RedisSessions(f"redis://127.0.0.1:{port}/0")) as store:
        with pytest.raises(StoreUnavailableError, match="Redis server"):
            await store.load("s", owner=OWNER)
