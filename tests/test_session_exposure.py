"""What a session showed is kept with it, so that any worker that continues it shows something else.

The two workers share only the session store and the memory.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.garden import FIRST, GARDEN
from tests.redis_server import redis_url as redis_url
from tests.session_world import sessions_over
from tests.small_world import SmallWorld, recall_settings, small_world

from secondhop.nodes.config import SessionSettings
from secondhop.nodes.services import Services
from secondhop.stores.sessions import SessionStore
from secondhop.stores.sessions_database import DatabaseSessions
from secondhop.stores.sessions_redis import RedisSessions

STORES = ["sqlite", pytest.param("redis", marks=pytest.mark.slow)]


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    made: SessionStore
    if request.param == "sqlite":
        made = DatabaseSessions(tmp_path / "entity" / "sessions.db")
    else:
        url = request.getfixturevalue("redis_url")
        made = RedisSessions(url, prefix=f"test:{tmp_path.name}")
    async with aclosing(made):
        yield made


@pytest.fixture
async def garden(tmp_path: Path) -> AsyncIterator[SmallWorld]:
    world = await small_world(tmp_path / "garden", GARDEN)
    async with aclosing(world.store):
        yield world


def worker(world: SmallWorld, *, freshness: float) -> Services:
    """The services of another worker, which has shown nothing yet."""
    settings = recall_settings(ranking={"freshness": freshness})
    session = SessionSettings(k=3, critic=False)
    return world.services(settings=replace(settings, session=session))


async def two_rounds(
    world: SmallWorld, store: SessionStore, *, freshness: float
) -> tuple[list[str], list[str]]:
    """Ids in the first answer and in another worker's second one, both without the hot memory."""
    begun = await sessions_over(worker(world, freshness=freshness), store).astart(FIRST)
    hot, *others = begun.ids()
    elsewhere = sessions_over(worker(world, freshness=freshness), store)
    after = await elsewhere.avote(begun.session_id, {hot: "hot"})
    assert after.kept == [hot]
    return others, [one for one in after.ids() if one != hot]


async def test_what_an_earlier_round_showed_yields_in_the_next_of_another_worker(
    garden: SmallWorld, store: SessionStore
) -> None:
    shown, same = await two_rounds(garden, store, freshness=0.0)
    shown_fresh, other = await two_rounds(garden, store, freshness=1.0)

    assert shown == shown_fresh
    assert set(same) & set(shown)
    assert not set(other) & set(shown)
