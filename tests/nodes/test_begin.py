"""What a host may leave out, and what is refused."""

from datetime import UTC, datetime

import pytest
from tests.fakes import NOW
from tests.small_world import SmallWorld, recall_settings

from secondhop.errors import UsageError
from secondhop.nodes.begin import begin


async def test_everything_but_the_question_has_a_default(world: SmallWorld) -> None:
    update = await begin({"question": "  What now? \x00"}, services=world.services())

    assert update["question"] == "What now?"
    assert (update["k"], update["tokens"], update["round"]) == (6, None, 0)
    assert update["asked_at"] == NOW.isoformat()
    assert len(update["trace_id"]) == 12
    assert list(update["facets"]) == ["f0"]


async def test_with_a_token_budget_the_shortlist_is_the_limit(world: SmallWorld) -> None:
    services = world.services(settings=recall_settings(shortlist=17))

    assert (await begin({"question": "?", "tokens": 90}, services=services))["k"] == 17


async def test_a_time_with_a_zone_keeps_its_moment(world: SmallWorld) -> None:
    asked = {"question": "?", "asked_at": "2026-03-01T09:00:00+05:30"}

    update = await begin(asked, services=world.services())  # type: ignore[arg-type]  # the input

    assert datetime.fromisoformat(update["asked_at"]) == datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize("asked_at", ["tomorrow", "2026-13-01", "12:00"])
async def test_a_time_that_is_none_is_refused(world: SmallWorld, asked_at: str) -> None:
    with pytest.raises(UsageError, match="ISO 8601"):
        await begin({"question": "?", "asked_at": asked_at}, services=world.services())
