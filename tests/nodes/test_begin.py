"""What a host may leave out, and what is refused."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest
from tests.small_world import SmallWorld, recall_settings

from secondhop.nodes.begin import begin
from secondhop.nodes.state import RecallInput, RecallState


async def begun(world: SmallWorld, *, shortlist: int = 24, **asked: Any) -> RecallState:
    """The state that `begin` makes of a host's input, with every key that a recall begins with."""
    services = world.services(settings=recall_settings(shortlist=shortlist))
    given = cast(RecallInput, {"question": "What now?", **asked})
    return cast(RecallState, await begin(given, services=services))


async def test_a_time_with_a_zone_keeps_its_moment(world: SmallWorld) -> None:
    state = await begun(world, asked_at="2026-03-01T09:00:00+05:30")

    assert datetime.fromisoformat(state["asked_at"]) == datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize("question", ["???", " … ", "-- !", "👍", "🎄🤒"])
async def test_without_a_word_nothing_is_searched_and_the_reason_is_said(
    world: SmallWorld, question: str
) -> None:
    update = await begun(world, question=question)

    assert (update["queries"], update["effort"]) == ({}, "none")
    assert "has no words, so nothing was searched" in update["degraded"]["question"]


@pytest.mark.parametrize(
    ("question", "cleaned"),
    [
        ("A \ud83d\ude00?", "A 😀?"),
        ("A \ud83d\0\ude00?", "A 😀?"),
        ("half \ud83d?", "half \ufffd?"),
        (" one\r\ntwo\rthree? ", "one\ntwo\nthree?"),
    ],
)
async def test_a_question_is_cleaned(world: SmallWorld, question: str, cleaned: str) -> None:
    assert (await begun(world, question=question))["question"] == cleaned


@pytest.mark.parametrize("question", ["鍵？", "مفتاح", "7?", "🙂"])
async def test_a_word_of_any_script_or_a_sign_makes_a_question(
    world: SmallWorld, question: str
) -> None:
    assert (await begun(world, question=question))["question"] == question
