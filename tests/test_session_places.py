"""Sessions of `Recall` in each place that can keep them: two workers share them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from redis import Redis
from tests.redis_server import redis_url as redis_url
from tests.small_world import LIFE, QUESTION
from tests.stores.conftest import postgres as postgres

from secondhop.errors import (
    RoundMovedOnError,
    SessionExpiredError,
    SessionResolvedError,
    StoreError,
)
from secondhop.graph.session_result import SessionAnswer
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")
SERVERS = [pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "redis")]


class Place(NamedTuple):
    """Where memories and sessions are stored."""

    store: str
    sessions: str | None = None


async def opened(place: Place) -> Recall:
    return await Recall.aopen(
        place.store, entity="mara", embedder="hashing", sessions=place.sessions
    )


@pytest.fixture(params=["sqlite", *SERVERS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "postgres":
        return Place(request.getfixturevalue("postgres").database())
    redis = request.param == "redis"
    return Place(str(tmp_path), request.getfixturevalue("redis_url") if redis else None)


@pytest.fixture
async def workers(place: Place) -> AsyncIterator[tuple[Recall, Recall]]:
    """Two workers that serve the same memories."""
    async with AsyncExitStack() as closes:
        ours = await closes.enter_async_context(await opened(place))
        await ours.aadd(LIFE)
        yield ours, await closes.enter_async_context(await opened(place))


async def test_a_session_begun_on_one_worker_goes_on_at_another(
    workers: tuple[Recall, Recall],
) -> None:
    ours, theirs = workers
    first = await ours.sessions.astart(QUESTION, k=3)
    helped = first.ids()[1]

    found = await theirs.sessions.aget(first.session_id)
    after = await theirs.sessions.avote(first.session_id, {helped: "hot"}, by="agent")
    again = await ours.sessions.aget(first.session_id)
    resolution = await ours.sessions.aresolve(first.session_id)

    with pytest.raises(SessionResolvedError):
        await theirs.sessions.avote(first.session_id, {helped: "cold"})
    assert found.ids() == first.ids()
    assert (after.round, after.kept) == (again.round, again.kept) == (2, [helped])
    assert resolution.session.accepted == [helped]
    assert resolution.learned.learned


async def test_of_votes_that_come_at_once_each_counts_or_is_told_so(
    workers: tuple[Recall, Recall],
) -> None:
    session_id = (await workers[0].sessions.astart(QUESTION, k=3, max_rounds=9)).session_id
    counted: list[dict[str, str]] = []
    for number in range(1, 6):
        answer = await workers[0].sessions.aget(session_id)
        ballots = [{answer.ids()[0]: "hot"}, {answer.ids()[1]: "warm"}]
        done = await asyncio.gather(
            *(
                worker.sessions.avote(session_id, ballot, round_number=number)
                for worker, ballot in zip(workers, ballots, strict=True)
            ),
            return_exceptions=True,
        )
        assert {type(one) for one in done} <= {SessionAnswer, RoundMovedOnError}
        pairs = zip(ballots, done, strict=True)
        counted += [
            {memory: vote}
            for ballot, one in pairs
            if isinstance(one, SessionAnswer)
            for memory, vote in ballot.items()
        ]

    story = (await workers[1].sessions.aresolve(session_id)).session

    told = [
        {memory: vote}
        for said in story.votes
        for vote in ("hot", "warm")
        for memory in getattr(said, vote)
    ]
    assert len(counted) >= 5
    assert sorted(map(str, told)) == sorted(map(str, counted))


async def test_a_session_expires(workers: tuple[Recall, Recall]) -> None:
    answer = await workers[0].sessions.astart(QUESTION, k=3, ttl_s=0.2)
    await asyncio.sleep(0.3)

    with pytest.raises(SessionExpiredError):
        await workers[1].sessions.avote(answer.session_id, {"plan": "hot"})


@pytest.mark.slow
async def test_redis_forgets_a_session_by_itself_and_no_file_has_it(
    tmp_path: Path, redis_url: str
) -> None:
    async with await opened(Place(str(tmp_path), redis_url)) as recall:
        await recall.aadd(LIFE)
        session_id = (await recall.sessions.astart(QUESTION, k=3)).session_id
    with Redis.from_url(redis_url) as server:
        left_ms = [server.pttl(key) for key in cast(list[bytes], server.keys(f"*{session_id}*"))]
    assert len(left_ms) == 2
    assert min(left_ms) > 0
    assert names_below(tmp_path).isdisjoint({"sessions.db"})


def names_below(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


@pytest.mark.slow
async def test_a_server_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    async with await opened(Place(str(tmp_path), "redis://127.0.0.1:1/0")) as recall:
        await recall.aadd(LIFE)
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:1"):
            await recall.sessions.astart(QUESTION)
