"""Numbers and times too large for a store, clock or calendar are refused on entry, in words."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.nodes.config import (
    COUNT_LIMIT,
    DEPTH_LIMIT,
    Config,
    PlanningSettings,
    RankingSettings,
    RecallLimits,
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


async def test_the_greatest_depth_of_the_greatest_count_is_answered(tmp_path: Path) -> None:
    ranking = RankingSettings(depth_factor=DEPTH_LIMIT)
    settings = Config(limits=RecallLimits(k=COUNT_LIMIT), ranking=ranking)
    async with await Recall.aopen(tmp_path, embedder="hashing", config=settings) as recall:
        await recall.aadd([note("key", "The key is under the mat")])

        assert (await recall.arecall(ASKED)).ids() == ["key"]


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


@pytest.mark.parametrize(("name", "call"), DATED)
@pytest.mark.parametrize("moment", [datetime.min, datetime.max])
async def test_the_first_and_the_last_moment_are_moments(
    recall: Recall,
    name: str,
    call: Callable[[Recall, datetime], Awaitable[object]],
    moment: datetime,
) -> None:
    await call(recall, moment)


@pytest.mark.parametrize("day", ["in May", "last year", "10 years ago"])
@pytest.mark.parametrize("moment", [datetime.min, datetime.max])
async def test_a_time_named_at_the_end_of_the_calendar_is_looked_for(
    recall: Recall, day: str, moment: datetime
) -> None:
    asked = f"Where was the key {day}?"

    found = await recall.arecall(asked, tokens=500, at=moment.replace(tzinfo=UTC))

    assert found.ids() == ["key"]


@pytest.mark.parametrize("ttl_s", [1e10, float("inf")])
async def test_no_session_outlives_a_year(recall: Recall, ttl_s: float) -> None:
    with pytest.raises(UsageError, match=r"at most 31,536,000 \(a year\)"):
        await recall.sessions.astart(ASKED, ttl_s=ttl_s)
    with pytest.raises(UsageError, match=r"ttl_s cannot be "):
        SessionSettings(ttl_s=ttl_s)

    assert (await recall.sessions.astart(ASKED, ttl_s=31_536_000.0)).ids() == ["key"]


SETTINGS: list[tuple[Any, str]] = [
    *((RecallLimits(), one) for one in ("k", "rounds", "queries", "llm_calls", "llm_tokens")),
    *((RecallLimits(), one) for one in ("maybe", "max_evidence_tokens")),
    (RankingSettings(), "depth_factor"),
    *((PlanningSettings(), one) for one in ("rewordings", "facets", "facet_queries")),
    *((SessionSettings(), one) for one in ("k", "max_rounds")),
]


@pytest.mark.parametrize(("settings", "name"), SETTINGS)
@pytest.mark.parametrize("count", [2**31, 10**400], ids=["int32", "googols"])
def test_a_setting_has_a_greatest_value_and_says_it(settings: Any, name: str, count: int) -> None:
    with pytest.raises(UsageError, match=rf"\.{name} cannot be .*less than or equal to 1000"):
        replace(settings, **{name: count})
