"""Sessions through the front door that are kept on a real Redis server."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from redis import Redis
from tests.redis_server import redis_url as redis_url
from tests.small_world import LIFE, QUESTION

from secondhop.errors import SessionExpiredError, SessionResolvedError, StoreError
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]


@pytest.fixture
def server(redis_url: str) -> Iterator["Redis"]:
    """The server, asked what it holds."""
    with Redis.from_url(redis_url, decode_responses=True) as asked:
        yield asked


def opened(folder: Path, sessions: str) -> Recall:
    return Recall.open(folder, entity="mara", embedder="hashing", sessions=sessions)


def held(server: "Redis", session_id: str) -> list[str]:
    """Keys of a session, sorted."""
    return sorted(cast(list[str], server.keys(f"*{session_id}*")))


def test_a_session_is_kept_by_the_server_that_was_named_and_others_go_on_with_it(
    tmp_path: Path, redis_url: str, server: "Redis"
) -> None:
    with opened(tmp_path, redis_url) as ours, opened(tmp_path, redis_url) as theirs:
        ours.add(LIFE)
        first = ours.sessions.start(QUESTION, k=3)
        left_ms = {key: server.pttl(key) for key in held(server, first.session_id)}

        found = theirs.sessions.get(first.session_id)
        helped = first.ids()[1]
        after = theirs.sessions.vote(first.session_id, {helped: "hot"}, by="agent")
        again = ours.sessions.get(first.session_id)
        resolution = ours.sessions.resolve(first.session_id)

        with pytest.raises(SessionResolvedError):
            theirs.sessions.vote(first.session_id, {helped: "cold"})
    assert len(left_ms) == 2
    assert min(left_ms.values()) > 0  # the server forgets all of it by itself
    assert found.ids() == first.ids()
    assert (after.round, after.kept) == (again.round, again.kept) == (2, [helped])
    assert resolution.session.accepted == [helped]
    assert resolution.learned.learned
    assert not list(tmp_path.rglob("sessions.db*"))


def test_a_session_expires(tmp_path: Path, redis_url: str) -> None:
    with opened(tmp_path, redis_url) as recall:
        recall.add(LIFE)
        answer = recall.sessions.start(QUESTION, k=3, ttl_s=1.0)
        time.sleep(1.1)

        with pytest.raises(SessionExpiredError):
            recall.sessions.vote(answer.session_id, {"plan": "hot"})


def test_a_server_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with opened(tmp_path, "redis://127.0.0.1:1/0") as recall:
        recall.add(LIFE)
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:1"):
            recall.sessions.start(QUESTION)
