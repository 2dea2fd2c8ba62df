"""Numbers and times too large for a store, clock or calendar are refused on entry, in words."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta, timezone

import pytest
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.nodes.config import (
    SessionSettings,
)
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]

ASKED = "Where is the key?"
AHEAD, BEHIND = timezone(timedelta(hours=14)), timezone(timedelta(hours=-14))
BEFORE_ALL = datetime(1, 1, 1, tzinfo=AHEAD)
AFTER_ALL = datetime(9999, 12, 31, 23, 59, tzinfo=BEHIND)


@pytest.fixture
async def recall(empty: Recall) -> Recall:
    await empty.aadd([note("key", "The key is under the mat")])
    return empty


COUNTED: list[tuple[str, Callable[[Recall, int], Awaitable[object]]]] = [
    ("k", lambda r, n: r.arecall(ASKED, k=n)),
    ("tokens", lambda r, n: r.arecall(ASKED, tokens=n)),
    ("limit", lambda r, n: r.memories.abriefing(limit=n)),
    ("tokens", lambda r, n: r.memories.abriefing(tokens=n)),
    ("k", lambda r, n: r.sessions.astart(ASKED, k=n)),
    ("max_rounds", lambda r, n: r.sessions.astart(ASKED, max_rounds=n)),
]


@pytest.mark.parametrize(("name", "call"), COUNTED)
@pytest.mark.parametrize("count", [2**31, 10**400], ids=["int32", "googols"])
async def test_a_count_that_no_store_takes_is_refused(
    recall: Recall, name: str, call: Callable[[Recall, int], Awaitable[object]], count: int
) -> None:
    with pytest.raises(UsageError, match=rf"^{name} must be at most 1,000,"):
        await call(recall, count)


DATED: list[tuple[str, Callable[[Recall, datetime], Awaitable[object]]]] = [
    ("at", lambda r, m: r.arecall(ASKED, at=m)),
    ("as_of", lambda r, m: r.arecall(ASKED, as_of=m)),
    ("at", lambda r, m: r.sessions.astart(ASKED, at=m)),
    ("at", lambda r, m: r.memories.abriefing(at=m)),
    ("as_of", lambda r, m: r.memories.afacts(as_of=m)),
    ("at", lambda r, m: r.memories.aremember("The key hangs in the hall", at=m)),
    ("valid_until", lambda r, m: r.memories.aremember("The key hangs in the hall", valid_until=m)),
    ("valid_until", lambda r, m: r.memories.aupdate("key", valid_until=m)),
    ("at", lambda r, m: r.memories.adeprecate("key", "lost", at=m)),
    ("at", lambda r, m: r.memories.aobserve([{"role": "user", "content": "I am Ida."}], at=m)),
]


@pytest.mark.parametrize(("name", "call"), DATED)
@pytest.mark.parametrize("moment", [BEFORE_ALL, AFTER_ALL])
async def test_a_moment_that_utc_does_not_have_is_refused(
    recall: Recall,
    name: str,
    call: Callable[[Recall, datetime], Awaitable[object]],
    moment: datetime,
) -> None:
    told = rf"^{name} must be between the years 1 and 9999, in UTC as well"
    with pytest.raises(UsageError, match=told):
        await call(recall, moment)

    assert [kept.end for kept in (await recall.memories.ahistory("key")).versions] == [""]


@pytest.mark.parametrize("ttl_s", [1e10, float("inf")])
async def test_no_session_outlives_a_year(recall: Recall, ttl_s: float) -> None:
    with pytest.raises(UsageError, match=r"at most 31,536,000 \(a year\)"):
        await recall.sessions.astart(ASKED, ttl_s=ttl_s)
    with pytest.raises(UsageError, match=r"ttl_s cannot be "):
        SessionSettings(ttl_s=ttl_s)

    assert (await recall.sessions.astart(ASKED, ttl_s=31_536_000.0)).ids() == ["key"]
