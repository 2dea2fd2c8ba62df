"""What every store of sessions must do."""

import asyncio
import json
import socket
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from tests.redis_server import redis_url as redis_url

from secondhop.errors import StoreError
from secondhop.stores.sessions import RoundBallot, SessionHead, SessionStore, StoredSession
from secondhop.stores.sessions_memory import MemorySessions
from secondhop.stores.sessions_redis import RedisSessions
from secondhop.stores.sessions_sqlite import SqliteSessions

LONG_S = 60.0
SHORT_S = 0.05
OWNER = "digest-of-mara"

STORES = ["memory", "sqlite", pytest.param("redis", marks=pytest.mark.slow)]


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    made: SessionStore
    if request.param == "memory":
        made = MemorySessions()
    elif request.param == "sqlite":
        made = SqliteSessions(tmp_path / "entity" / "sessions.db")
    else:
        url = request.getfixturevalue("redis_url")
        made = RedisSessions(url, prefix=f"test:{tmp_path.name}")
    async with aclosing(made):
        yield made


async def begun(store: SessionStore, session_id: str = "s", *, ttl_s: float = LONG_S) -> str:
    assert await store.create(session_id, owner=OWNER, state="first", ttl_s=ttl_s)
    return session_id


def ballot(
    votes: Mapping[str, str],
    *,
    round_number: int = 1,
    by: str = "person",
    closes: bool = False,
    worker: str = "w1",
    lease_s: float = LONG_S,
) -> RoundBallot:
    return RoundBallot(
        round=round_number,
        by=by,
        votes=votes,
        closes=closes,
        request_id=f"request of {worker}" if closes else "",
        worker=worker,
        lease_s=lease_s,
    )


async def loaded(store: SessionStore, session_id: str = "s") -> StoredSession:
    found = await store.load(session_id)
    assert found is not None
    return found


async def test_a_new_session_stands_at_its_first_round(store: SessionStore) -> None:
    await begun(store)

    found = await loaded(store)

    assert found.head == SessionHead(owner=OWNER, status="open", round=1)
    assert (found.state, found.votes) == ("first", {})
    assert LONG_S - 5 < found.expires_in_s <= LONG_S


async def test_of_an_unknown_session_nothing_is_known(store: SessionStore) -> None:
    assert await store.load("s") is None
    assert (await store.record("s", ballot({"a": "hot"}), ttl_s=LONG_S)).head is None
    assert not await store.claim("s", round_number=1, worker="w", lease_s=LONG_S)
    assert (await store.publish("s", round_number=1, state="x", ttl_s=LONG_S)).head is None
    assert (await store.end("s", round_number=1, status="resolved")).head is None
    await begun(store, "another")
    assert await store.load("s") is None


async def test_an_id_is_given_once(store: SessionStore) -> None:
    await begun(store)

    assert not await store.create("s", owner="thief", state="stolen", ttl_s=LONG_S)
    assert (await loaded(store)).state == "first"


async def test_votes_gather_and_the_last_word_of_a_voter_counts(store: SessionStore) -> None:
    await begun(store)

    await store.record("s", ballot({"a": "hot", "b": "cold"}), ttl_s=LONG_S)
    await store.record("s", ballot({"a": "warm"}, by="agent"), ttl_s=LONG_S)
    written = await store.record("s", ballot({"b": "", "c": "spark", "a": "wrong"}), ttl_s=LONG_S)

    assert written.done
    assert written.votes == {"person": {"a": "wrong", "c": "spark"}, "agent": {"a": "warm"}}
    assert (await loaded(store)).votes == written.votes


async def test_a_closed_round_takes_no_more_votes(store: SessionStore) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}), ttl_s=LONG_S)

    closing = await store.record("s", ballot({"b": "cold"}, closes=True), ttl_s=LONG_S)
    late = await store.record("s", ballot({"b": "hot"}, worker="w2"), ttl_s=LONG_S)

    assert closing.votes == {"person": {"a": "hot", "b": "cold"}}
    assert not late.done
    assert late.head == closing.head
    assert late.head is not None
    assert (late.head.closed, late.head.request_id) == (True, "request of w1")
    assert (await loaded(store)).votes == closing.votes


async def test_votes_for_another_round_do_not_count(store: SessionStore) -> None:
    await begun(store)

    for number in (0, 2):
        assert not (
            await store.record("s", ballot({"a": "hot"}, round_number=number), ttl_s=LONG_S)
        ).done
    assert (await loaded(store)).votes == {}


async def test_of_many_who_close_a_round_at_once_one_does(store: SessionStore) -> None:
    await begun(store)
    ballots = [ballot({f"m{n}": "hot"}, closes=True, worker=f"w{n}") for n in range(20)]

    written = await asyncio.gather(*(store.record("s", one, ttl_s=LONG_S) for one in ballots))

    (winner,) = [one for one in written if one.done]
    assert {one.head for one in written} == {winner.head}
    assert (await loaded(store)).votes == winner.votes
    assert len(winner.votes["person"]) == 1


async def test_of_many_who_vote_at_once_no_vote_is_lost(store: SessionStore) -> None:
    await begun(store)
    ballots = [ballot({f"m{n}": "hot"}) for n in range(20)]

    await asyncio.gather(*(store.record("s", one, ttl_s=LONG_S) for one in ballots))

    assert (await loaded(store)).votes == {"person": {f"m{n}": "hot" for n in range(20)}}


async def test_the_next_round_is_published_once_and_takes_the_votes_along(
    store: SessionStore,
) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}, closes=True), ttl_s=LONG_S)

    written = await asyncio.gather(
        *(store.publish("s", round_number=1, state=f"next {n}", ttl_s=LONG_S) for n in range(5))
    )

    (won,) = [one for one in written if one.done]
    assert won.votes == {"person": {"a": "hot"}}
    found = await loaded(store)
    assert found.state == f"next {written.index(won)}"
    assert (found.head.round, found.head.closed, found.votes) == (2, False, {})
    assert found.head.request_id == "request of w1"


async def test_an_open_round_is_not_replaced(store: SessionStore) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}), ttl_s=LONG_S)

    assert not (await store.publish("s", round_number=1, state="x", ttl_s=LONG_S)).done
    assert not await store.claim("s", round_number=1, worker="w", lease_s=LONG_S)
    assert (await loaded(store)).state == "first"


async def test_a_closed_round_is_one_workers_until_the_lease_ends(store: SessionStore) -> None:
    await begun(store)
    closing = ballot({"a": "hot"}, closes=True, worker="w1", lease_s=SHORT_S)
    await store.record("s", closing, ttl_s=LONG_S)

    assert not await store.claim("s", round_number=1, worker="w2", lease_s=LONG_S)
    assert await store.claim("s", round_number=1, worker="w1", lease_s=SHORT_S)
    await asyncio.sleep(2 * SHORT_S)
    claims = [
        await store.claim("s", round_number=1, worker=worker, lease_s=LONG_S)
        for worker in ("w2", "w3", "w1", "w2")
    ]
    assert claims == [True, False, False, True]


async def test_what_has_ended_is_known_by_its_head_alone(store: SessionStore) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}), ttl_s=LONG_S)

    ended = await store.end("s", round_number=1, status="resolved")

    assert ended.done
    assert ended.votes == {"person": {"a": "hot"}}
    assert await loaded(store) == StoredSession(
        head=SessionHead(owner=OWNER, status="resolved", round=1)
    )
    late = [
        await store.end("s", round_number=1, status="abandoned"),
        await store.record("s", ballot({"a": "hot"}), ttl_s=LONG_S),
        await store.publish("s", round_number=1, state="x", ttl_s=LONG_S),
    ]
    assert not any(one.done for one in late)
    assert {one.head.status for one in late if one.head} == {"resolved"}
    assert not await store.create("s", owner=OWNER, state="again", ttl_s=LONG_S)


async def test_a_closed_round_may_be_ended_with_its_votes(store: SessionStore) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}, closes=True), ttl_s=LONG_S)

    ended = await store.end("s", round_number=1, status="resolved")

    assert (ended.done, ended.votes) == (True, {"person": {"a": "hot"}})
    assert not (await store.publish("s", round_number=1, state="x", ttl_s=LONG_S)).done


async def test_a_round_that_has_moved_on_is_not_ended(store: SessionStore) -> None:
    await begun(store)
    await store.record("s", ballot({"a": "hot"}, closes=True), ttl_s=LONG_S)
    await store.publish("s", round_number=1, state="next", ttl_s=LONG_S)

    assert not (await store.end("s", round_number=1, status="resolved")).done
    assert (await loaded(store)).head.status == "open"


async def test_a_session_expires_and_only_its_head_is_left(store: SessionStore) -> None:
    await begun(store, ttl_s=SHORT_S)
    await store.record("s", ballot({"a": "hot"}), ttl_s=SHORT_S)

    await asyncio.sleep(2 * SHORT_S)

    found = await loaded(store)
    assert (found.head.status, found.state, found.votes) == ("expired", "", {})
    late = await store.record("s", ballot({"b": "hot"}), ttl_s=LONG_S)
    assert not late.done
    assert late.head is not None
    assert late.head.status == "expired"


async def test_sessions_that_know_a_forgotten_memory_are_overwritten(store: SessionStore) -> None:
    for session_id, owner, memory_id in (
        ("knows", OWNER, "ä-1"),
        ("knows too", OWNER, "ä-1"),
        ("not that one", OWNER, "ä-11"),
        ("somebody else's", "digest-of-noor", "ä-1"),
    ):
        state = json.dumps({"candidates": {memory_id: [1, {}]}})
        assert await store.create(session_id, owner=owner, state=state, ttl_s=LONG_S)
    await store.record("knows", ballot({"ä-1": "hot"}, closes=True), ttl_s=LONG_S)

    await store.forget(["nobody-knows", "ä-1"], owner=OWNER)

    for session_id in ("knows", "knows too"):
        found = await loaded(store, session_id)
        assert (found.head.status, found.state, found.votes) == ("abandoned", "", {})
    for session_id in ("not that one", "somebody else's"):
        assert (await loaded(store, session_id)).head.status == "open"
    late = await store.publish("knows", round_number=1, state="x", ttl_s=LONG_S)
    assert not late.done


def test_forgetting_makes_no_file(tmp_path: Path) -> None:
    store = SqliteSessions(tmp_path / "sessions.db")
    asyncio.run(store.forget(["a"], owner=OWNER))
    assert not list(tmp_path.iterdir())


async def test_votes_and_rounds_keep_a_session_alive(store: SessionStore) -> None:
    await begun(store, ttl_s=10 * SHORT_S)
    closing = ballot({"a": "hot"}, closes=True)

    await asyncio.sleep(6 * SHORT_S)
    assert (await store.record("s", ballot({"b": "hot"}), ttl_s=10 * SHORT_S)).done
    await asyncio.sleep(6 * SHORT_S)
    assert (await store.record("s", closing, ttl_s=10 * SHORT_S)).done
    await asyncio.sleep(6 * SHORT_S)
    assert (await store.publish("s", round_number=1, state="next", ttl_s=10 * SHORT_S)).done
    await asyncio.sleep(6 * SHORT_S)
    assert (await loaded(store)).state == "next"


async def test_odd_ids_and_long_states_come_back_as_they_were(store: SessionStore) -> None:
    odd = {"ünï/код 🙂": "hot", "a:b|c 'd' \"e\"": "cold", "line\nbreak": "spark"}
    state = '{"x": "' + "é" * 300_000 + '"}'
    await store.create("s", owner=OWNER, state=state, ttl_s=LONG_S)

    await store.record("s", ballot(odd), ttl_s=LONG_S)

    found = await loaded(store)
    assert (found.state, found.votes) == (state, {"person": odd})


async def test_sessions_do_not_touch_each_other(store: SessionStore) -> None:
    for session_id in ("one", "two"):
        await begun(store, session_id)
    await store.record("one", ballot({"a": "hot"}, closes=True), ttl_s=LONG_S)

    await store.end("one", round_number=1, status="abandoned")

    found = await loaded(store, "two")
    assert (found.head.status, found.head.closed, found.votes) == ("open", False, {})


async def test_what_has_expired_is_wiped_from_the_file_at_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    async with aclosing(SqliteSessions(path)) as store:
        await store.create("old", owner=OWNER, state="tell-tale words", ttl_s=SHORT_S)
        await store.create("other", owner=OWNER, state="", ttl_s=LONG_S)
        await asyncio.sleep(2 * SHORT_S)
        await store.record("other", ballot({"a": "hot"}), ttl_s=LONG_S)
        with closing(sqlite3.connect(path)) as file:
            kept = dict(file.execute("SELECT session_id, state FROM sessions"))
        await store.create("last", owner=OWNER, state="tell-tale words", ttl_s=SHORT_S)
        await asyncio.sleep(2 * SHORT_S)

    assert kept == {"old": "", "other": ""}
    assert b"tell-tale" not in path.read_bytes()


async def test_a_server_that_is_gone_is_an_error_of_ours(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with aclosing(RedisSessions(f"redis://127.0.0.1:{port}/0")) as store:
        with pytest.raises(StoreError, match="Redis server"):
            await store.load("s")
